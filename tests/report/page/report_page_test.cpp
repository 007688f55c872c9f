#include "report/page/report_page.h"

#include <gtest/gtest.h>

#include <fstream>

#include "report/page/html.h"
#include "report/page/results_html.h"
#include "report/results/run_plots.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

constexpr const char* hostile = "<script>alert(1)</script>\x1b[31m\xff\"'&";

TEST(Html, ReplacesItsMarkup) {
  EXPECT_EQ(in_html("<a href=\"x\" b='y'>&\n\x1b"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;\\n\\x1b");
  EXPECT_EQ(in_html("éééé", 3), "é…");
  EXPECT_EQ(in_script("\"</script>\""), "\"\\u003c/script>\"");
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo\xff"), "Zm9v/w==");
}

TEST(ReportPage, HasTheClassesOfADetector) {
  const std::string head =
      "class                     pictures   objects        P        R    mAP50      mAP\n";
  const std::string html = object_classes_html(
      head +
      "all                            100       337   0.0764   0.1466   0.0328   0.0091\n"
      "traffic light <b>               33        38   0.1311   0.2105        -        -\n");
  EXPECT_NE(html.find("<th scope=\"col\">class</th><th class=\"number\">pictures</th>"), html.npos)
      << html;
  EXPECT_NE(html.find("<th scope=\"row\">traffic light &lt;b&gt;</th><td class=\"number\">33</td>"),
            html.npos)
      << html;
  for (const char* other :
       {"", "\n", "a text of another kind\n", "class a b c d e f\nhalf a line"}) {
    EXPECT_EQ(object_classes_html(other), "") << other;
  }
  EXPECT_EQ(object_classes_html(head), "") << "no class";
}

TEST(ReportPage, KnowsWhatPicturesShow) {
  std::vector<std::string> names{"z.png", "F1_curve.png", "a.jpg", "confusion_matrix.png"};
  sort_pictures(names);
  EXPECT_EQ(names,
            (std::vector<std::string>{"confusion_matrix.png", "F1_curve.png", "a.jpg", "z.png"}));
  EXPECT_EQ(picture_title("F1_curve.png"), "F1 by confidence");
  EXPECT_EQ(picture_title("a.jpg"), "a.jpg");
}

TEST(ReportPage, LoadsNothingAndRunsNoName) {
  const test::TempFolder folder;
  std::ofstream(folder / "args.yml")
      << "given: [lr]\n\nlr: \"<script>\"  # command line\nquiet: true  # command line\n";
  std::ofstream(folder / "metrics.jsonl")
      << R"({"event":"run_start","model":"</script><script>","total_steps":2})"
      << "\n{half";
  std::vector<ReportedRun> runs{reported_run(folder.path(), hostile),
                                reported_run(folder / "absent", "other")};
  runs[0].sections.push_back({"<i>", "<b>", {{"<u>", "\x89PNG"}}, true});
  runs[0].results = class_results({{{0, 0, 1, 0.9, 2.0}, {1, 1, 1, 0.8, 0.1}}, {hostile, "b"}});
  const std::string page = report_page(runs);
  size_t scripts = 0;
  for (size_t at = page.find("<script"); at != page.npos; at = page.find("<script", at + 1)) {
    ++scripts;
  }
  EXPECT_EQ(scripts, 2);  // the data and ours
  for (const char* markup :
       {"<i>", "<u>", "\x1b", "\xff", "src=\"http", "href=\"http", "@import"}) {
    EXPECT_EQ(page.find(markup), page.npos) << markup;
  }
  EXPECT_NE(page.find("Content-Security-Policy"), page.npos);
  EXPECT_NE(page.find("src=\"data:image/png;base64,iVBORw==\""), page.npos);
  EXPECT_NE(page.find("class=\"differs\""), page.npos);
  EXPECT_NE(page.find("--lr &#39;&lt;script&gt;&#39; --quiet"), page.npos);
}

}  // namespace
}  // namespace convoy
