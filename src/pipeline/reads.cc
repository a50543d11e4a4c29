#include "pipeline/reads.h"

namespace gavel::pipeline {

Reads::Reads(Reader& reader, stage::Limits limits, Duration read_within, const Clock& clock)
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

}  // namespace gavel::pipeline
