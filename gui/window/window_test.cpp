// SPDX-License-Identifier: Apache-2.0
#include "gui/window/window.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <SDL.h>
#include <gtest/gtest.h>

#include "gui/shell/testing.hpp"
#include "gui/window/sdl_events.hpp"

namespace ascendsim::gui {
namespace {

struct WindowBench {
    FixedLibrary library;
    FixedDocuments documents;
    std::unique_ptr<Window> window;

    /// Opens a window under a video driver that needs no display; false if this machine cannot.
    bool open(const char* driver, bool software) {
        setenv("SDL_VIDEODRIVER", driver, 1);
        try {
            window = std::make_unique<Window>(
                ShellParts{.library = library, .documents = &documents, .panels = {}},
                WindowOptions{.width = 960, .height = 600, .software = software});
        } catch (const UserError& error) {
            return false;
        }
        return true;
    }
};

/// Share of pixels in which a channel differs by more than 5 % of its range.
double share_of_clear_differences(const Image& a, const Image& b) {
    constexpr unsigned step = 13;
    std::size_t count = 0;
    for (std::size_t n = 0; n < a.pixels.size(); ++n) {
        for (unsigned i = 0; i < 3; ++i) {
            const unsigned x = channel(a.pixels[n], i);
            const unsigned y = channel(b.pixels[n], i);
            if ((x > y ? x - y : y - x) > step) {
                ++count;
                break;
            }
        }
    }
    return static_cast<double>(count) / static_cast<double>(a.pixels.size());
}

// SDL fell back on its driver "offscreen", and `ascendsim gui` waited for ever in a window nobody saw.
TEST(Window, IsRefusedWhereThereIsNoDisplay) {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv("SDL_VIDEODRIVER");
    FixedLibrary library;
    FixedDocuments documents;
    try {
        const Window window{ShellParts{.library = library, .documents = &documents, .panels = {}},
                            WindowOptions{.width = 960, .height = 600}};
        const std::string driver = SDL_GetCurrentVideoDriver();
        EXPECT_EQ(driver, "KMSDRM") << "a console that can show a window";
    } catch (const UserError& error) {
        EXPECT_NE(std::string{error.what()}.find("use --headless"), std::string::npos) << error.what();
    }
}

TEST(Window, SoftwareShowsWhatHeadlessDraws) {
    WindowBench bench;
    ASSERT_TRUE(bench.open("dummy", true));  // which each SDL has
    for (int n = 0; n < 5; ++n) {
        bench.window->turn();
    }
    EXPECT_EQ(bench.window->renderer(), "software");
    EXPECT_EQ(bench.window->read_back(), bench.window->picture());
}

// Idle, an unchanged picture of 3840 x 2160 was drawn again and again: 5 % of a core where OpenGL is
// software.
TEST(Window, MakesNoPictureThatIsOnTheScreenAlready) {
    WindowBench bench;
    ASSERT_TRUE(bench.open("dummy", true));  // which each SDL has
    for (int n = 0; n < 10; ++n) {
        bench.window->turn();
    }
    const long before = bench.window->pictures();
    EXPECT_GT(before, 0);
    EXPECT_LT(before, 6);
    SDL_Event event{};  // as when another window had covered this one
    event.type = SDL_WINDOWEVENT;
    event.window.event = SDL_WINDOWEVENT_EXPOSED;
    SDL_PushEvent(&event);
    bench.window->turn();
    EXPECT_EQ(bench.window->pictures(), before + 1);
    // A picture that changes without any event is another, too.
    bench.window->turn();
    bench.window->shell().view().theme = ThemeName::light;
    bench.window->turn();
    bench.window->turn();
    EXPECT_EQ(bench.window->read_back(), bench.window->picture());
    EXPECT_GT(bench.window->pictures(), before + 1);
}

/// Presses a key with Control, as SDL tells it.
void press_with_control(Window& window, SDL_Keycode key) {
    for (const SDL_Keycode each : {static_cast<SDL_Keycode>(SDLK_LCTRL), key}) {
        SDL_Event event{};
        event.type = SDL_KEYDOWN;
        event.key.keysym.sym = each;
        event.key.keysym.mod = KMOD_LCTRL;
        SDL_PushEvent(&event);
    }
    for (const SDL_Keycode each : {key, static_cast<SDL_Keycode>(SDLK_LCTRL)}) {
        SDL_Event event{};
        event.type = SDL_KEYUP;
        event.key.keysym.sym = each;
        SDL_PushEvent(&event);
    }
    for (int n = 0; n < 8; ++n) {
        window.turn();
    }
}

// Texts went to a clipboard of the dashboard's own.
TEST(Window, CopiesAndPastesThroughTheSystemsClipboard) {
    WindowBench bench;
    ASSERT_TRUE(bench.open("dummy", true));  // which each SDL has
    Window& window = *bench.window;
    window.turn();
    window.turn();
    SDL_SetClipboardText("vadd");
    press_with_control(window, SDLK_f);
    press_with_control(window, SDLK_v);
    EXPECT_EQ(window.shell().view().find, "vadd");
    SDL_SetClipboardText("");
    press_with_control(window, SDLK_a);
    press_with_control(window, SDLK_x);
    EXPECT_EQ(window.shell().view().find, "");
    char* const cut = SDL_GetClipboardText();
    EXPECT_STREQ(cut, "vadd");
    SDL_free(cut);
}

TEST(Window, OpenGlShowsNearlyTheSameAndItsBoxesExactly) {
    WindowBench bench;
    if (!bench.open("offscreen", false) || bench.window->renderer() != "OpenGL") {
        GTEST_SKIP() << "no OpenGL without a display here";
    }
    for (int n = 0; n < 5; ++n) {
        bench.window->turn();
    }
    const Image shown = bench.window->read_back();
    const Image drawn = bench.window->picture();
    ASSERT_EQ(shown.width, drawn.width);
    constexpr double most_pixels = 0.04;  // text and smoothed edges differ between renderers
    EXPECT_LT(share_of_clear_differences(shown, drawn), most_pixels);
    // The empty lower half of the lists holds only boxes: no pixel may differ.
    for (int y = 400; y < 520; ++y) {
        for (int x = 0; x < 960; ++x) {
            ASSERT_EQ(shown.at(x, y), drawn.at(x, y)) << x << ", " << y;
        }
    }
}

TEST(Window, PushedEventsActWithoutFocus) {
    WindowBench bench;
    ASSERT_TRUE(bench.open("dummy", true));  // which each SDL has
    bench.window->shell().anchors().enable(true);
    bench.window->turn();
    bench.window->turn();
    const Point middle = bench.window->anchor("welcome/scenarios/matmul").value().centre();
    SDL_Event event{};
    event.type = SDL_MOUSEMOTION;
    event.motion.x = static_cast<int>(middle.x);
    event.motion.y = static_cast<int>(middle.y);
    SDL_PushEvent(&event);
    for (const Uint32 type : {SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP}) {
        event = {};
        event.type = type;
        event.button.button = SDL_BUTTON_LEFT;
        event.button.x = static_cast<int>(middle.x);
        event.button.y = static_cast<int>(middle.y);
        SDL_PushEvent(&event);
    }
    for (int n = 0; n < 8; ++n) {
        bench.window->turn();
    }
    EXPECT_EQ(bench.window->value("welcome"), false);
}

TEST(Window, ScriptDrivesAWindowToo) {
    WindowBench bench;
    ASSERT_TRUE(bench.open("dummy", true));  // which each SDL has
    ScriptDriver script{
        "click @welcome/lessons/buffers\nexpect welcome == false\nkey T\nexpect view.unit == ns\n",
        "window",
        testing::TempDir()};
    bench.window->run(&script);
    EXPECT_TRUE(script.done());
}

TEST(SdlEvents, KeysAreNamedByWhatIsPrintedOnThem) {
    SDL_Event event{};
    event.type = SDL_KEYDOWN;
    event.key.keysym.sym = SDLK_p;
    const std::optional<InputEvent> letter = translate(event, 1);
    ASSERT_TRUE(letter.has_value());
    EXPECT_EQ(std::get<KeyChange>(*letter).key, key_of('P'));
    event.key.keysym.sym = SDLK_F5;
    EXPECT_EQ(std::get<KeyChange>(*translate(event, 1)).key, Key::f5);
    event.key.keysym.sym = SDLK_VOLUMEUP;
    EXPECT_FALSE(translate(event, 1).has_value());
}

TEST(SdlEvents, PlacesAreInPixels) {
    SDL_Event event{};
    event.type = SDL_MOUSEMOTION;
    event.motion.x = 10;
    event.motion.y = 20;
    EXPECT_EQ(std::get<MouseMove>(*translate(event, 2)).place, (Point{20, 40}));
}

}  // namespace
}  // namespace ascendsim::gui
