#include "pipeline/read_stage.h"

namespace gavel::pipeline {

ReadStage::ReadStage(Reader& reader, stage::Limits limits, Duration read_within, const Clock& clock)
    : reader_(reader),
      read_within_(read_within),
      clock_(clock),
      stage_(
          limits, clock,
          [this](const std::vector<Question>& questions) {
            for (const Question& question : questions) question(reader_);
            return std::vector<Asked>(questions.size(), Asked::yes);
          },
          [] { return Asked::too_late; }) {}

void ReadStage::offer(Question& question, Done done) {
  if (!stage_.offer(question, clock_.steady() + read_within_, done)) done(Asked::too_late);
}

}  // namespace gavel::pipeline
