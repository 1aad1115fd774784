#include "expression/llvm_library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/expression/memory_room.hpp"

#if __has_include(<link.h>)
#include <elf.h>
#include <link.h>
#endif

namespace lento::expression {

namespace {

#if defined(__x86_64__)
constexpr char const* target_name = "X86";
#elif defined(__aarch64__)
constexpr char const* target_name = "AArch64";
#else
constexpr char const* target_name = "none";
#endif

/// An address that becomes a function of whatever type it is given to.
struct found_symbol {
    void* address;
    template <class Function> operator Function*() const { // NOLINT(google-explicit-constructor)
        return reinterpret_cast<Function*>(address);
    }
};

/// All functions, or nothing when the library lacks one of them.
std::optional<llvm_functions> functions_of(void* library) {
    bool complete = true;
    auto const named = [&](std::string const& name) {
        found_symbol const found{dlsym(library, name.c_str())};
        complete = complete && found.address != nullptr;
        return found;
    };
    auto const initializer = [&](char const* what) {
        return named(std::string("LLVMInitialize") + target_name + what);
    };
    llvm_functions const made{
        .initialize_target_info = initializer("TargetInfo"),
        .initialize_target = initializer("Target"),
        .initialize_target_code = initializer("TargetMC"),
        .initialize_printer = initializer("AsmPrinter"),
        .default_triple = named("LLVMGetDefaultTargetTriple"),
        .host_processor = named("LLVMGetHostCPUName"),
        .host_features = named("LLVMGetHostCPUFeatures"),
        .dispose_message = named("LLVMDisposeMessage"),
        .target_of_triple = named("LLVMGetTargetFromTriple"),
        .create_target_machine = named("LLVMCreateTargetMachine"),
        .dispose_target_machine = named("LLVMDisposeTargetMachine"),
        .create_target_data = named("LLVMCreateTargetDataLayout"),
        .dispose_target_data = named("LLVMDisposeTargetData"),
        .create_context = named("LLVMContextCreate"),
        .dispose_context = named("LLVMContextDispose"),
        .create_buffer = named("LLVMCreateMemoryBufferWithMemoryRangeCopy"),
        .parse = named("LLVMParseIRInContext"),
        .dispose_module = named("LLVMDisposeModule"),
        .set_triple = named("LLVMSetTarget"),
        .set_layout = named("LLVMSetModuleDataLayout"),
        .create_pass_options = named("LLVMCreatePassBuilderOptions"),
        .dispose_pass_options = named("LLVMDisposePassBuilderOptions"),
        .run_passes = named("LLVMRunPasses"),
        .emit = named("LLVMTargetMachineEmitToMemoryBuffer"),
        .create_builder = named("LLVMOrcCreateLLJITBuilder"),
        .set_linker = named("LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator"),
        .create_linker = named("LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager"),
        .create_session = named("LLVMOrcCreateLLJIT"),
        .dispose_session = named("LLVMOrcDisposeLLJIT"),
        .main_library = named("LLVMOrcLLJITGetMainJITDylib"),
        .interned = named("LLVMOrcLLJITMangleAndIntern"),
        .absolute_symbols = named("LLVMOrcAbsoluteSymbols"),
        .define = named("LLVMOrcJITDylibDefine"),
        .add_object = named("LLVMOrcLLJITAddObjectFile"),
        .lookup = named("LLVMOrcLLJITLookup"),
        .error_message = named("LLVMGetErrorMessage"),
        .dispose_error_message = named("LLVMDisposeErrorMessage"),
    };
    return complete ? std::optional(made) : std::nullopt;
}

#if __has_include(<link.h>)

/// Whether a file ends before its own header says, as after an installation that broke off. The loader would map what
/// is not there, and the first look at it would end the program.
bool is_cut_short(std::string const& file) {
    int const descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat found{};
    ElfW(Ehdr) head{};
    bool const read = fstat(descriptor, &found) == 0 && pread(descriptor, &head, sizeof head, 0) == sizeof head;
    auto const size = static_cast<std::uint64_t>(found.st_size);
    bool cut = !read || size < head.e_shoff + std::uint64_t{head.e_shnum} * head.e_shentsize;
    for (unsigned i = 0; i < head.e_phnum && !cut; ++i) {
        ElfW(Phdr) part{};
        auto const at = static_cast<off_t>(head.e_phoff + i * sizeof part);
        cut = pread(descriptor, &part, sizeof part, at) != sizeof part || part.p_offset > size ||
              part.p_filesz > size - part.p_offset;
    }
    close(descriptor);
    return cut;
}

/// The folders in which the loader looks: those of LD_LIBRARY_PATH and the system's own.
std::vector<std::string> library_folders() {
    void* const program = dlopen(nullptr, RTLD_LAZY);
    Dl_serinfo needed{};
    if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &needed) != 0) return {};
    std::vector<std::max_align_t> room(needed.dls_size / sizeof(std::max_align_t) + 1);
    auto* const list = reinterpret_cast<Dl_serinfo*>(room.data());
    *list = needed;
    if (dlinfo(program, RTLD_DI_SERINFO, list) != 0) return {};
    std::vector<std::string> made;
    for (unsigned i = 0; i < list->dls_cnt; ++i) made.emplace_back(list->dls_serpath[i].dls_name);
    return made;
}

/// The file that the loader would take, if that is cut short.
bool is_broken(std::string const& name) {
    static auto const folders = library_folders();
    for (auto const& folder : folders)
        if (auto const file = folder + "/" + name; access(file.c_str(), R_OK) == 0) return is_cut_short(file);
    return false;
}

#else

bool is_broken(std::string const&) { return false; }

#endif

/// Of an installed version, or nothing. A file of that name that is no such library counts as not installed.
std::optional<llvm_functions> functions_of_version(int version) {
    for (auto const& name : library_names(version)) {
        if (is_broken(name)) continue;
        if (void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); library != nullptr)
            if (auto const found = functions_of(library)) return found;
    }
    return std::nullopt;
}

/// Empty when any will do.
std::string wanted_version() {
    char const* const given = std::getenv("LENTO_LLVM"); // NOLINT(concurrency-mt-unsafe): Lento never changes it
    return given == nullptr ? "" : given;
}

std::string taken(llvm_functions const& call, char* message) {
    std::string text = message == nullptr ? "" : message;
    if (message != nullptr) call.dispose_message(message);
    return text;
}

[[noreturn]] void refuse(std::string const& why) { throw std::runtime_error("LLVM cannot compile formulas: " + why); }

void require(llvm_functions const& call, LLVMOpaqueError* error) {
    if (error == nullptr) return;
    char* const message = call.error_message(error);
    std::string const text = message;
    call.dispose_error_message(message);
    refuse(text);
}

/// The linker that all versions have. The one that 17 would take looks for symbols of its own library among those of
/// the whole process, where a library that was opened for itself has none.
LLVMOrcOpaqueObjectLayer* create_linker(void* functions, LLVMOrcOpaqueExecutionSession* session, char const*) {
    return static_cast<llvm_functions*>(functions)->create_linker(session);
}

LLVMOrcOpaqueLLJIT* start_session(llvm_functions call) {
    auto* const builder = call.create_builder();
    call.set_linker(builder, create_linker, &call); // asked for while the session starts
    LLVMOrcOpaqueLLJIT* started = nullptr;
    require(call, call.create_session(&started, builder));
    return started;
}

/// What LLVM gives out and wants back.
template <class T> using owned = std::unique_ptr<T, void (*)(T*)>;

} // namespace

std::unique_ptr<llvm_machine const> llvm_machine::start(int version) {
    auto const functions = functions_of_version(version);
    if (!functions) return nullptr;
    std::unique_ptr<llvm_machine> made(new llvm_machine);
    made->version_ = version;
    made->call_ = *functions;
    auto const& call = made->call_;
    call.initialize_target_info();
    call.initialize_target();
    call.initialize_target_code();
    call.initialize_printer();
    made->triple_ = taken(call, call.default_triple());
    made->processor_ = taken(call, call.host_processor());
    made->features_ = taken(call, call.host_features());
    char* message = nullptr;
    bool const known = call.target_of_triple(made->triple_.c_str(), &made->target_, &message) == 0;
    taken(call, message);
    if (!known) return nullptr;
    made->vectors_ = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    auto const add = [&](char const* feature, vector_variant variant) {
        if (("," + made->features_ + ",").find(feature) == std::string::npos) return;
        made->variants_[made->variant_count_++] = variant;
    };
    add(",+sse2,", {'b', 2});
    add(",+avx2,", {'d', 4});
    add(",+avx512f,", {'e', 8});
    return made;
}

llvm_machine const* llvm_machine::find() {
    // found once and kept to the end of the process: the library cannot be closed while code may run
    static std::unique_ptr<llvm_machine const> const only = []() -> std::unique_ptr<llvm_machine const> {
        if (lacks_room(0)) return nullptr;
        auto const wanted = wanted_version();
        for (int version = newest; version >= oldest; --version) {
            if (!wanted.empty() && wanted != std::to_string(version)) continue;
            if (auto made = start(version)) return made;
        }
        return nullptr;
    }();
    return only.get();
}

std::uint64_t llvm_machine::vector_function(std::string const& name) const {
    return vectors_ == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(dlsym(vectors_, name.c_str()));
}

void machine_code::session_end::operator()(LLVMOrcOpaqueLLJIT* session) const {
    if (auto* const error = call->dispose_session(session); error != nullptr)
        call->dispose_error_message(call->error_message(error));
}

machine_code::machine_code(llvm_machine const& machine, std::string const& text,
                           std::span<outside_function const> outside, vector_code vectors)
    : session_(nullptr, session_end{&machine.call()}) {
    auto const& call = machine.call();
    constexpr int good_code = 2, independent_of_position = 2, code_for_sessions = 1, object_file = 1;
    owned<LLVMOpaqueTargetMachine> const target(
        call.create_target_machine(machine.target_, machine.triple_.c_str(), machine.processor_.c_str(),
                                   machine.features_.c_str(), good_code, independent_of_position, code_for_sessions),
        call.dispose_target_machine);
    owned<LLVMOpaqueTargetData> const layout(call.create_target_data(target.get()), call.dispose_target_data);
    owned<LLVMOpaqueContext> const context(call.create_context(), call.dispose_context);

    char* message = nullptr;
    LLVMOpaqueModule* read = nullptr;
    if (call.parse(context.get(), call.create_buffer(text.data(), text.size(), "formulas"), &read, &message) != 0)
        refuse(taken(call, message));
    owned<LLVMOpaqueModule> const parsed(read, call.dispose_module);
    call.set_triple(parsed.get(), machine.triple_.c_str());
    call.set_layout(parsed.get(), layout.get());

    owned<LLVMOpaquePassBuilderOptions> const options(call.create_pass_options(), call.dispose_pass_options);
    char const* const passes = vectors == vector_code::yes ? "default<O2>" : "default<O1>";
    require(call, call.run_passes(parsed.get(), passes, target.get(), options.get()));
    LLVMOpaqueMemoryBuffer* object = nullptr;
    if (call.emit(target.get(), parsed.get(), object_file, &message, &object) != 0) refuse(taken(call, message));

    auto* const started = start_session(call);
    session_.reset(started);
    auto* const library = call.main_library(started);
    std::vector<llvm_functions::absolute_symbol> symbols;
    for (auto const& each : outside)
        symbols.push_back({call.interned(started, each.name.c_str()), {each.address, {.generic = 5, .target = 0}}});
    if (!symbols.empty()) require(call, call.define(library, call.absolute_symbols(symbols.data(), symbols.size())));
    require(call, call.add_object(started, library, object));
}

std::uintptr_t machine_code::address(char const* name) const {
    auto const& call = *session_.get_deleter().call;
    std::uint64_t found = 0;
    require(call, call.lookup(session_.get(), &found, name));
    return found;
}

bool llvm_machine::lacks_room(std::size_t text) {
    // the library and its start take 180 MB, and compiling takes as much again, or 1 kB for each byte of a long text
    constexpr double usual = 400e6, of_byte = 1000;
    return memory_room() < usual + of_byte * static_cast<double>(text);
}

bool llvm_lacks_memory() { return llvm_machine::find() == nullptr && llvm_machine::lacks_room(0); }

std::string llvm_is_lacking() {
    if (llvm_lacks_memory())
        return "LLVM is not loaded: the limit on memory leaves " + show(memory_room() / 1e6) +
               " MB, and LLVM might need more; where its memory ends it would end the program. Raise the limit " +
               "(ulimit -v, --max-memory), or leave the engine out: formulas then run as bytecode.";
    auto const known = std::to_string(llvm_machine::oldest) + " to " + std::to_string(llvm_machine::newest);
    if (auto const wanted = wanted_version(); !wanted.empty())
        return "LLVM " + wanted + ", for which the environment variable LENTO_LLVM asks, is not installed on this " +
               "machine or not one of the versions that Lento can use, " + known + ".";
    return "LLVM is not installed on this machine: there is no shared library of its versions " + known + ", such as " +
           library_names(llvm_machine::newest).front() + " of Debian's package libllvm" +
           std::to_string(llvm_machine::newest) + ".";
}

} // namespace lento::expression
