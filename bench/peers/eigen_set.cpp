/* The same with Eigen: eigen_set FOLDER ROWS COLS WIDTH MILLISECONDS. REAL is float or double. One thread. */

#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

template <typename T> static std::vector<T> readArray(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<T> array(file.tellg() / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char *>(array.data()), array.size() * sizeof(T));
  return array;
}

int main(int count, char **words) {
  if (count != 6) return 2;
  const std::string folder = std::string(words[1]) + "/";
  const int rows = std::atoi(words[2]), cols = std::atoi(words[3]), width = std::atoi(words[4]);
  auto starts = readArray<int>(folder + "starts"), columns = readArray<int>(folder + "columns");
  auto values = readArray<REAL>(folder + "values"), numbers = readArray<REAL>(folder + "x");
  using Sparse = Eigen::SparseMatrix<REAL, Eigen::RowMajor, int>;
  using Dense = Eigen::Matrix<REAL, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Column = Eigen::Matrix<REAL, Eigen::Dynamic, 1>;
  Eigen::Map<const Sparse> matrix(rows, cols, values.size(), starts.data(), columns.data(), values.data());
  const Dense x = width > 1 ? Dense(Eigen::Map<const Dense>(numbers.data(), cols, width)) : Dense();
  const Column x1 = width == 1 ? Column(Eigen::Map<const Column>(numbers.data(), cols)) : Column();
  Dense out(rows, width);
  Column out1(rows);
  auto run = [&] { if (width == 1) out1.noalias() = matrix * x1; else out.noalias() = matrix * x; };
  run();
  using Clock = std::chrono::steady_clock;
  const auto passed = [](Clock::time_point since) { return std::chrono::duration<double, std::milli>(Clock::now() - since).count(); };
  std::vector<double> samples;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    run();
    samples.push_back(passed(start));
  } while (passed(begin) < std::atof(words[5]));
  std::sort(samples.begin(), samples.end());
  std::ofstream file(folder + "result", std::ios::binary);
  file.write(reinterpret_cast<const char *>(width == 1 ? out1.data() : out.data()), sizeof(REAL) * size_t(rows) * width);
  std::printf("%.9g\n", samples[samples.size() / 2]);
}
