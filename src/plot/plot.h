// Curves over axes, as a picture: panels one below the other, each with its series, a legend beside
// its title, and marks across it. Everything is in sight: axes grow with the data.
#pragma once

#include <string>
#include <vector>

#include "pictures/picture.h"
#include "plot/canvas.h"
#include "plot/scale.h"

namespace convoy {

namespace plot_ink {
inline constexpr Ink blue{31, 95, 191}, orange{224, 122, 16}, green{38, 140, 60}, red{200, 40, 45},
    pale{170, 190, 220};
}

// Points that an axis cannot show (NaN, infinities, zero on a logarithmic one) interrupt the line.
struct Series {
  std::string name;  // for the legend; empty: not in it
  Ink ink;
  std::vector<double> x, y;  // equally many
  double width = 2;          // of the line, in pixels
};

// A vertical line where something is.
struct PlotMark {
  std::string name;
  Ink ink;
  double x = 0;
};

struct PlotAxis {
  std::string label;  // of y: the title of the panel
  bool logarithmic = false;
};

struct Panel {
  PlotAxis x, y;
  std::vector<Series> series;
  std::vector<PlotMark> marks;
  double share = 1;       // of the height, among the panels
  double y_most = 1e300;  // what lies higher is not in sight
};

struct Plot {
  std::string title;
  std::vector<Panel> panels;
  int64_t width = 1000, height = 600;
};

Pixels draw(const Plot& plot);

// Where the curves of each panel will be, inside its axes.
std::vector<PixelRect> curve_areas(const Plot& plot);
// What its axes will show.
Scale x_scale(const Panel& panel);
Scale y_scale(const Panel& panel);

}  // namespace convoy
