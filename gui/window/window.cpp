// SPDX-License-Identifier: Apache-2.0
#include "gui/window/window.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

#include <SDL.h>
#include <SDL_opengl.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>

#include "gui/window/drawn.hpp"
#include "gui/window/sdl_events.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

constexpr int frames_after_input = 4;   // layouts settle within these
constexpr int idle_milliseconds = 100;  // between looks at growing recordings
constexpr int poll_milliseconds = 20;   // between looks for input, where SDL cannot sleep until there is some

/// The next event, awaited for so long; false if none came. SDL sleeps where the display can wake it; with
/// the other drivers it would look for input a thousand times a second, which costs 4 % of a core.
bool await_event(SDL_Event& event, int milliseconds) {
    const std::string_view driver = SDL_GetCurrentVideoDriver();
    if (driver == "x11" || driver == "wayland" || driver == "windows" || driver == "cocoa") {
        return SDL_WaitEventTimeout(&event, milliseconds) != 0;
    }
    for (; SDL_PollEvent(&event) == 0; milliseconds -= poll_milliseconds) {
        if (milliseconds <= 0) {
            return false;
        }
        SDL_Delay(static_cast<Uint32>(std::min(milliseconds, poll_milliseconds)));
    }
    return true;
}

}  // namespace

/// The SDL side: window, and either an OpenGL context or a surface to copy pictures to.
struct Window::Screen {
    SDL_Window* window = nullptr;
    SDL_GLContext gl = nullptr;
    int texture_version = 0;
    Image image;
    std::string pasted;  // what was taken from the clipboard last

    Screen() = default;
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen();

    void open(const WindowOptions& options);
    bool open_gl(const WindowOptions& options);
    void show(Shell& shell, int width, int height);
    void show_gl(Shell& shell, int width, int height);
    void show_software(Shell& shell, int width, int height);
    [[nodiscard]] std::array<int, 2> size() const;
    [[nodiscard]] float pixels_per_unit() const;

    [[nodiscard]] bool hidden() const {
        return (SDL_GetWindowFlags(window) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) != 0;
    }
};

Window::Screen::~Screen() {
    if (gl != nullptr) {
        if (texture_version > 0) {
            ImGui_ImplOpenGL3_Shutdown();
        }
        SDL_GL_DeleteContext(gl);
    }
    if (window != nullptr) {
        SDL_DestroyWindow(window);
    }
    SDL_Quit();
}

bool Window::Screen::open_gl(const WindowOptions& options) {
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    window = SDL_CreateWindow("AscendSim",
                              SDL_WINDOWPOS_CENTERED,
                              SDL_WINDOWPOS_CENTERED,
                              options.width,
                              options.height,
                              SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    gl = window == nullptr ? nullptr : SDL_GL_CreateContext(window);
    if (gl == nullptr) {
        if (window != nullptr) {
            SDL_DestroyWindow(window);
            window = nullptr;
        }
        return false;
    }
    SDL_GL_SetSwapInterval(1);
    return true;
}

namespace {

/// True where SDL fell back on a driver that draws into memory: a window there waits for input for ever.
/// Whoever names such a driver in SDL_VIDEODRIVER gets it.
bool nobody_sees(const char* driver) {
    const std::string_view name = driver == nullptr ? "" : driver;
    return SDL_getenv("SDL_VIDEODRIVER") == nullptr &&
           (name == "offscreen" || name == "dummy" || name == "evdev");
}

}  // namespace

void Window::Screen::open(const WindowOptions& options) {
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        throw UserError{"no display: {}; use --headless for pictures without one", SDL_GetError()};
    }
    if (const char* const driver = SDL_GetCurrentVideoDriver(); nobody_sees(driver)) {
        const std::string name{driver};
        SDL_Quit();
        throw UserError{
            "no display: only SDL's driver '{}', which shows nothing; use --headless for pictures "
            "without one",
            name};
    }
    if (options.software || !open_gl(options)) {
        window = SDL_CreateWindow("AscendSim",
                                  SDL_WINDOWPOS_CENTERED,
                                  SDL_WINDOWPOS_CENTERED,
                                  options.width,
                                  options.height,
                                  SDL_WINDOW_RESIZABLE);
    }
    if (window == nullptr) {
        throw UserError{"no window: {}; use --headless for pictures without one", SDL_GetError()};
    }
    SDL_SetWindowMinimumSize(window, 480, 320);
    SDL_StartTextInput();
}

std::array<int, 2> Window::Screen::size() const {
    std::array<int, 2> result{};
    if (gl != nullptr) {
        SDL_GL_GetDrawableSize(window, result.data(), &result[1]);
    } else {
        SDL_GetWindowSize(window, result.data(), &result[1]);
    }
    return {std::max(result[0], 1), std::max(result[1], 1)};
}

float Window::Screen::pixels_per_unit() const {
    int units = 1;
    SDL_GetWindowSize(window, &units, nullptr);
    return static_cast<float>(size()[0]) / static_cast<float>(std::max(units, 1));
}

void Window::Screen::show_gl(Shell& shell, int width, int height) {
    if (texture_version == 0) {
        ImGui_ImplOpenGL3_Init("#version 330 core");
    }
    if (texture_version != shell.texture_version()) {
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_NewFrame();
        ImGui_ImplOpenGL3_CreateFontsTexture();
        texture_version = shell.texture_version();
    }
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    SDL_GL_SwapWindow(window);
}

void Window::Screen::show_software(Shell& shell, int width, int height) {
    image = picture_of(shell, width, height);
    SDL_Surface* target = SDL_GetWindowSurface(window);
    SDL_Surface* source = SDL_CreateRGBSurfaceWithFormatFrom(
        image.pixels.data(), width, height, 32, width * 4, SDL_PIXELFORMAT_RGBA32);
    if (target != nullptr && source != nullptr) {
        SDL_BlitSurface(source, nullptr, target, nullptr);
        SDL_UpdateWindowSurface(window);
    }
    SDL_FreeSurface(source);
}

void Window::Screen::show(Shell& shell, int width, int height) {
    if (gl != nullptr) {
        show_gl(shell, width, height);
    } else {
        show_software(shell, width, height);
    }
}

Window::Window(ShellParts parts, const WindowOptions& options)
    : ShellHost{std::move(parts), options.width, options.height},
      screen_{std::make_unique<Screen>()},
      options_{options} {
    screen_->open(options);
    share_clipboard();
}

void Window::share_clipboard() {
    ImGui::SetCurrentContext(shell().imgui());
    ImGuiIO& io = ImGui::GetIO();
    io.ClipboardUserData = &screen_->pasted;
    io.SetClipboardTextFn = [](void*, const char* text) { SDL_SetClipboardText(text); };
    io.GetClipboardTextFn = [](void* pasted) {
        char* const text = SDL_GetClipboardText();
        std::string& kept = *static_cast<std::string*>(pasted);
        kept = text == nullptr ? "" : text;
        SDL_free(text);
        return kept.c_str();
    };
}

Window::~Window() {
    ImGui::SetCurrentContext(shell().imgui());
    screen_.reset();
}

std::string Window::renderer() const {
    return screen_->gl != nullptr ? "OpenGL" : "software";
}

void Window::take_events(int wait_milliseconds) {
    SDL_Event event;
    bool more = await_event(event, wait_milliseconds);
    for (; more; more = SDL_PollEvent(&event) != 0) {
        still_frames_ = 0;
        if (event.type == SDL_QUIT) {
            closed_ = true;
        } else if (event.type == SDL_DROPFILE) {
            shell().open(event.drop.file);
            SDL_free(event.drop.file);
        } else if (const std::optional<InputEvent> input = translate(event, screen_->pixels_per_unit())) {
            push(*input);
        }
    }
}

void Window::turn() {
    const bool busy = still_frames_ < frames_after_input || input_pending() || shell().animated() ||
                      shell().exports().pending() || !shell().toasts().shown().empty();
    take_events(busy ? 1 : idle_milliseconds);
    if (!busy && !scripted_ && !options_.frames && may_rest()) {
        return;
    }
    ++still_frames_;
    const auto [width, height] = screen_->size();
    ShellHost::resize(width, height);
    shell().frame(width, height, seconds_since_last_frame());
    show(width, height);
    save_wishes();
    ++shown_;
}

void Window::show(int width, int height) {
    const std::uint64_t drawn =
        number_of_drawn(shell().draw_data()) + static_cast<std::uint64_t>(shell().texture_version());
    // After an event the screen may have lost its picture.
    if (still_frames_ > 1 && drawn == drawn_) {
        return;
    }
    drawn_ = drawn;
    screen_->show(shell(), width, height);
    ++pictures_;
}

bool Window::may_rest() {
    using std::chrono::seconds;
    constexpr seconds lively{20};       // after a change a worker may bring what was asked for
    constexpr seconds soon{1};          // until then
    constexpr seconds now_and_then{5};  // afterwards
    const auto now = std::chrono::steady_clock::now();
    if (still_frames_ == 0 || shell().has_news()) {
        last_change_ = now;
        return false;
    }
    if (screen_->hidden()) {
        return true;
    }
    return now - last_frame_ < (now - last_change_ < lively ? soon : now_and_then);
}

/// What moves by itself moves by the clock, except for scripts, whose pictures must not depend on it.
double Window::seconds_since_last_frame() {
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - last_frame_).count();
    last_frame_ = now;
    constexpr double longest = 0.25;
    return scripted_ ? fixed_frame : std::clamp(passed, 1e-3, longest);
}

void Window::run(ScriptDriver* script) {
    shell().anchors().enable(script != nullptr);
    scripted_ = script != nullptr;
    turn();
    turn();
    while (!closed_ && !shell().wants_to_quit() && shown_ < options_.frames.value_or(shown_ + 1)) {
        if (script != nullptr && !script->advance(*this)) {
            return;
        }
        if (script != nullptr) {
            still_frames_ = 0;
        }
        turn();
    }
}

void Window::resize(int width, int height) {
    SDL_SetWindowSize(screen_->window, width, height);
    ShellHost::resize(width, height);
}

Image Window::read_back() const {
    if (screen_->gl == nullptr) {
        return screen_->image;
    }
    Image flipped{width(), height()};
    glReadBuffer(GL_FRONT);
    glReadPixels(0, 0, width(), height(), GL_RGBA, GL_UNSIGNED_BYTE, flipped.pixels.data());
    Image image{width(), height()};
    for (int y = 0; y < height(); ++y) {
        std::copy_n(&flipped.pixels[flipped.index(0, height() - 1 - y)], width(), &image.at(0, y));
    }
    for (Pixel& pixel : image.pixels) {
        pixel |= rgba(0, 0, 0);
    }
    return image;
}

}  // namespace ascendsim::gui
