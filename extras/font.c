// SPDX-License-Identifier: MIT
// Each glyph is seven rows of dots, drawn as text so that it can be read here; its width is that of
// its rows, and one empty column follows it.
#include "extras/font.h"

#include <string.h>

typedef struct font_glyph {
    char character;
    const char *rows[SINEW_FONT_HEIGHT];
} font_glyph;

static const font_glyph font_glyphs[] = {
    {' ', {"   ", "   ", "   ", "   ", "   ", "   ", "   "}},
    {'.', {"  ", "  ", "  ", "  ", "  ", "##", "##"}},
    {':', {"  ", "##", "##", "  ", "##", "##", "  "}},
    {'-', {"    ", "    ", "    ", "####", "    ", "    ", "    "}},
    {'+', {"     ", "  #  ", "  #  ", "#####", "  #  ", "  #  ", "     "}},
    {'/', {"    #", "    #", "   # ", "  #  ", " #   ", "#    ", "#    "}},
    {'%', {"##  #", "##  #", "   # ", "  #  ", " #   ", "#  ##", "#  ##"}},
    {'0', {" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "}},
    {'1', {"  # ", " ## ", "# # ", "  # ", "  # ", "  # ", " ###"}},
    {'2', {" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"}},
    {'3', {" ### ", "#   #", "    #", "  ## ", "    #", "#   #", " ### "}},
    {'4', {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "}},
    {'5', {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "}},
    {'6', {" ### ", "#    ", "#    ", "#### ", "#   #", "#   #", " ### "}},
    {'7', {"#####", "    #", "   # ", "   # ", "  #  ", "  #  ", "  #  "}},
    {'8', {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "}},
    {'9', {" ### ", "#   #", "#   #", " ####", "    #", "    #", " ### "}},
    {'a', {"    ", "    ", " ## ", "   #", " ###", "#  #", " ###"}},
    {'b', {"#   ", "#   ", "### ", "#  #", "#  #", "#  #", "### "}},
    {'c', {"    ", "    ", " ###", "#   ", "#   ", "#   ", " ###"}},
    {'d', {"   #", "   #", " ###", "#  #", "#  #", "#  #", " ###"}},
    {'e', {"    ", "    ", " ## ", "#  #", "####", "#   ", " ###"}},
    {'f', {"  ##", " #  ", "### ", " #  ", " #  ", " #  ", " #  "}},
    {'g', {"    ", "    ", " ###", "#  #", " ###", "   #", " ## "}},
    {'h', {"#   ", "#   ", "### ", "#  #", "#  #", "#  #", "#  #"}},
    {'i', {"#", " ", "#", "#", "#", "#", "#"}},
    {'j', {"  #", "   ", " ##", "  #", "  #", "# #", " # "}},
    {'k', {"#   ", "#   ", "#  #", "# # ", "##  ", "# # ", "#  #"}},
    {'l', {"# ", "# ", "# ", "# ", "# ", "# ", " #"}},
    {'m', {"     ", "     ", "## # ", "# # #", "# # #", "# # #", "# # #"}},
    {'n', {"    ", "    ", "### ", "#  #", "#  #", "#  #", "#  #"}},
    {'o', {"    ", "    ", " ## ", "#  #", "#  #", "#  #", " ## "}},
    {'p', {"    ", "    ", "### ", "#  #", "### ", "#   ", "#   "}},
    {'q', {"    ", "    ", " ###", "#  #", " ###", "   #", "   #"}},
    {'r', {"   ", "   ", "# #", "## ", "#  ", "#  ", "#  "}},
    {'s', {"    ", "    ", " ###", "#   ", " ## ", "   #", "### "}},
    {'t', {" #  ", " #  ", "####", " #  ", " #  ", " #  ", "  ##"}},
    {'u', {"    ", "    ", "#  #", "#  #", "#  #", "#  #", " ###"}},
    {'v', {"     ", "     ", "#   #", "#   #", " # # ", " # # ", "  #  "}},
    {'w', {"     ", "     ", "# # #", "# # #", "# # #", "# # #", " # # "}},
    {'x', {"    ", "    ", "#  #", "#  #", " ## ", "#  #", "#  #"}},
    {'y', {"    ", "    ", "#  #", "#  #", " ###", "   #", " ## "}},
    {'z', {"    ", "    ", "####", "  # ", " #  ", "#   ", "####"}},
};
static const font_glyph font_missing = {
    '\0', {"#####", "#   #", "#   #", "#   #", "#   #", "#   #", "#####"}};

static const font_glyph *font_find(char character)
{
    for (size_t i = 0; i < sizeof font_glyphs / sizeof font_glyphs[0]; i++)
        if (font_glyphs[i].character == character)
            return &font_glyphs[i];
    return &font_missing;
}

uint32_t sinew_font_width(const char *text, uint32_t scale)
{
    uint32_t dots = 0;
    for (; *text != '\0'; text++)
        dots += (uint32_t)strlen(font_find(*text)->rows[0]) + 1;
    return dots > 0 ? (dots - 1) * scale : 0;
}

void sinew_font_draw(sinew_picture *picture, int32_t x, int32_t y, uint32_t scale,
                     const uint8_t color[4], const char *text)
{
    const int32_t dot = (int32_t)scale;
    for (; *text != '\0'; text++) {
        const font_glyph *glyph = font_find(*text);
        int32_t width = (int32_t)strlen(glyph->rows[0]);
        for (int32_t row = 0; row < SINEW_FONT_HEIGHT; row++)
            for (int32_t column = 0; column < width; column++)
                if (glyph->rows[row][column] == '#')
                    sinew_picture_fill(picture, x + column * dot, y + row * dot, dot, dot, color);
        x += (width + 1) * dot;
    }
}
