// Draws curves over axes as a picture: panels one below the other, each with its series, a legend
// beside the title, and vertical marks. Axes grow with the data, so all of it is visible.
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

// Values that an axis cannot show (NaN, infinities, zero on a logarithmic one) interrupt the line.
struct Series {
  std::string name;  // for the legend; empty: not listed
  Ink ink;
  std::vector<double> x, y;  // of equal length
  double width = 2;          // of the line, in pixels
};

// A vertical line that marks a value of x.
struct PlotMark {
  std::string name;
  Ink ink;
  double x = 0;
};

struct PlotAxis {
  std::string label;  // of y: the title of the panel
  bool logarithmic = false;
  std::vector<double> covers = {};  // values that are on the axis, whatever the data is
};

struct Panel {
  PlotAxis x, y;
  std::vector<Series> series;
  std::vector<PlotMark> marks;
  double share = 1;       // of the total height
  double y_most = 1e300;  // the axis of y ends here at the latest
};

struct Plot {
  std::string title;
  std::vector<Panel> panels;
  int64_t width = 1000, height = 600;
};

Pixels draw(const Plot& plot);

// The area of the curves in each panel, inside its axes.
std::vector<PixelRect> curve_areas(const Plot& plot);
// The scales of the panel's axes.
Scale x_scale(const Panel& panel);
Scale y_scale(const Panel& panel);

}  // namespace convoy
