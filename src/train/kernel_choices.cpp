#include "train/kernel_choices.h"

namespace convoy {

void describe_choices(Fields& field, Choices& choices) {
  std::string winograd = winograd_name(choices.winograd);
  field("winograd", winograd,
        "3x3 convolutions by Winograd's filters: auto takes those of 4x4 pixels where they pay, f2 "
        "the more exact ones of 2x2, off none",
        one_of({"auto", "f2", "off"}));
  choices.winograd = winograd == "off"  ? Winograd::off
                     : winograd == "f2" ? Winograd::f2
                                        : Winograd::automatic;
}

std::string winograd_name(Winograd choice) {
  return choice == Winograd::off ? "off" : choice == Winograd::f2 ? "f2" : "auto";
}

}  // namespace convoy
