// Steps and states in words, for the trace of a violation.
#include <array>

#include "protocol.h"

namespace model {
namespace {

std::string with(const char* words, int x, int y) {
  std::string text;
  for (const char* at = words; *at != 0; ++at) {
    if (*at == 'X' || *at == 'Y') {
      text += std::to_string(*at == 'X' ? x : y);
    } else {
      text += *at;
    }
  }
  return text;
}

}  // namespace

std::string to_text(Taken taken) {
  constexpr std::array words{
      "request X is asked for",
      "instance X calls bucket Y",
      "instance X calls bucket Y; the reply is lost",
      "instance X calls bucket Y; the call is lost",
      "instance X calls bucket Y and gives up; the call is still on its way",
      "instance X calls bucket Y; the network will deliver the call once more",
      "the call that was on its way arrives",
      "the confirming read decides on request X",
      "the read of the quota decides on request X",
      "the judge commits request X",
      "the judge commits request X, its instance does not know",
      "request X is found out to be committed",
      "the dead instance's commit of request X comes",
      "act X commits",
      "refresh X reads",
      "refresh X states bucket Y",
      "instance X learns the number of buckets",
      "instance X dies",
      "instance X is reaped in bucket Y",
      "the replica catches up",
      "failover to the replica",
      "the keys of bucket X are lost",
      "bucket X is corrupted: the present generation is shut",
      "instance X writes the hint of user Y",
  };
  return with(words.at(static_cast<std::size_t>(taken.step)), taken.x, taken.y);
}

std::string to_text(const State& state) {
  const Judge& judge = state.judge;
  std::string text = "judge";
  for (int b = 0; b < judge.rows; ++b) {
    const auto at = static_cast<std::size_t>(b);
    text += " " + std::to_string(judge.available[at]) + "#" + std::to_string(judge.seq[at]);
  }
  text += " generation " + std::to_string(judge.generation);
  for (std::size_t b = 0; b < buckets; ++b) {
    const GateBucket& gate = state.gate[b];
    text += " | gate " + std::to_string(b);
    if (!gate.present) {
      text += " missing";
      continue;
    }
    text += " " + std::to_string(gate.available) + "#" + std::to_string(gate.seq) + " open " +
            std::to_string(gate.open) + " shut " + std::to_string(gate.shut) + " held " +
            std::to_string(gate.held[0]) + "," + std::to_string(gate.held[1]);
  }
  return text;
}

}  // namespace model
