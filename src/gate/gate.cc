#include "gate/gate.h"

namespace gavel::gate {

std::string to_text(const BucketKey& key) {
  return "g:{" + gavel::to_text(key.incarnation.uuid) + ":" + std::to_string(key.item.value) + ":" +
         std::to_string(key.bucket) + "}";
}

}  // namespace gavel::gate
