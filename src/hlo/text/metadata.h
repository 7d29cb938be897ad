// What instructions carry besides the operation: where they come from, and notes of the frontend.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxtrace::pb {
class FrontendAttributes;
class HloModuleProto;
class OpMetadata;
class OriginalArray;
class OriginalValue;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

/// The inside of `metadata={…}`.  `frame` replaces the proto's stack_frame_id; 0 prints none.
void append_op_metadata(std::string& out, const pb::OpMetadata& metadata, std::int32_t frame,
                        std::string_view payload);
void append_op_metadata(std::string& out, const pb::OpMetadata& metadata, std::int32_t frame);

/// `{key="value",key={…}}`, by key; of two values of one key the last counts.
void append_frontend_attributes(std::string& out, const pb::FrontendAttributes& attributes);

/// `"add.1" {0}`
void append_original_array(std::string& out, const pb::OriginalArray& array);

/// `({"a"}, {"b" {0}})`: which values of the program before optimisation this value holds.
void append_original_value(std::string& out, const pb::OriginalValue& value);

/// `config` as XLA's reader keeps it: it drops every empty "wait_on_operation_queues" and the comma
/// behind it, a field that older writers set and newer XLA no longer has.
std::string modern_backend_config(std::string_view config);

/// Raw if it is a dictionary, else quoted.
void append_config(std::string& out, std::string_view config);

}  // namespace jaxtrace::hlo
