#include "judge/time.h"

#include <gtest/gtest.h>

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

constexpr Time begin{Duration(1'800'000'000'000)};

struct TimeWorld {
  VirtualClock clock{begin};
  JudgeTime time{clock};

  Time at() { return time.now(); }
};

TEST(JudgeTime, TakesTheWallClockWhereNothingIsKept) {
  TimeWorld world;
  EXPECT_EQ(world.at(), begin);
  EXPECT_FALSE(world.time.after_boot());
}

// F028: one hour back stopped the release of holds for an hour.
TEST(JudgeTime, GoesOnWhenTheWallClockIsSetBack_E25_F028) {
  TimeWorld world;
  world.at();
  world.clock.jump(-1h);
  for (int second = 1; second <= 5; ++second) {
    world.clock.advance(1s);
    EXPECT_EQ(world.at(), begin + std::chrono::seconds(second));
  }
  world.clock.jump(1h);
  EXPECT_EQ(world.at(), begin + 5s);
}

// G001: eight hours ahead, and right again.
TEST(JudgeTime, BelievesAWallClockThatIsLaterByAtMostAnHour_E25_G001) {
  TimeWorld world;
  world.at();
  world.clock.jump(1h + 1ms);
  EXPECT_EQ(world.at(), begin);
  world.clock.jump(-1ms);
  EXPECT_EQ(world.at(), begin + 1h);
  world.clock.jump(7h);
  world.clock.advance(1s);
  EXPECT_EQ(world.at(), begin + 1h + 1s);
  world.clock.jump(-8h);
  world.clock.advance(1s);
  EXPECT_EQ(world.at(), begin + 1h + 2s) << "it never goes back";
}

TEST(JudgeTime, GoesOnFromWhatAnotherProcessKept_E25) {
  TimeWorld before;
  before.at();
  before.clock.advance(10s);
  const KeptTime kept = before.time.kept(before.at());
  EXPECT_EQ(kept, (KeptTime{begin + 10s, before.clock.boot(), Duration(10s)}));
  before.clock.advance(20s);
  for (const Duration by : {Duration(-1h), Duration(9h)}) {
    before.clock.jump(by);
    JudgeTime after(before.clock);
    after.follow(kept);
    EXPECT_EQ(after.now(), begin + 30s);
    EXPECT_FALSE(after.after_boot());
  }
}

TEST(JudgeTime, DoesNotKnowHowLongTheMachineWasOff_E25) {
  for (const auto& [off, believed] :
       {std::pair(Duration(168h), true), {Duration(168h) + 1ms, false}, {Duration(-1ms), false}}) {
    TimeWorld world;
    world.clock.jump(off);
    world.clock.reboot();
    world.clock.advance(5s);
    world.clock.jump(-5s);
    JudgeTime after(world.clock);
    after.follow({begin, "boot 1", Duration(0)});
    EXPECT_EQ(after.now(), believed ? begin + off : begin);
    ASSERT_TRUE(after.after_boot());
    EXPECT_EQ(after.after_boot()->wall, begin + off);
    world.clock.advance(1s);
    EXPECT_EQ(after.now(), (believed ? begin + off : begin) + 1s);
  }
}

// A steady clock that stands below the kept reading has begun anew, whatever the system calls this start.
TEST(JudgeTime, IsOfAnotherBootWhereTheReadingIsMissingOrLater_E25) {
  TimeWorld world;
  world.clock.jump(2h);
  for (const KeptTime& kept : {KeptTime{begin, world.clock.boot(), std::nullopt},
                               {begin, world.clock.boot(), Duration(1)},
                               {begin, "", Duration(0)}}) {
    JudgeTime time(world.clock);
    time.follow(kept);
    EXPECT_EQ(time.now(), begin + 2h);
    EXPECT_TRUE(time.after_boot());
  }
}

// A reader follows what the store of its database keeps.
TEST(JudgeTime, FollowsTheLatestAndNeverGoesBack_E25) {
  TimeWorld world;
  world.at();
  world.clock.advance(1s);
  world.time.follow({begin + 10s, world.clock.boot(), Duration(0)});
  EXPECT_EQ(world.at(), begin + 11s);
  world.time.follow({begin + 5s, world.clock.boot(), Duration(0)});
  EXPECT_EQ(world.at(), begin + 11s);
}

}  // namespace
}  // namespace gavel::judge
