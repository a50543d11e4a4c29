#include "gate/gate.h"

namespace gavel::gate {

std::string to_text(const BucketKey& key) {
  return "g:{" + std::to_string(key.incarnation.value) + ":" + std::to_string(key.item.value) + ":" +
         std::to_string(key.bucket) + "}";
}

}  // namespace gavel::gate
