// SPDX-License-Identifier: Apache-2.0
// Y = a X + Y with the C++ bindings and their exceptions.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

static const char *source = R"(
    kernel void saxpy(const global float *x, global float *y, const float a)
    {
        size_t i = get_global_id(0);
        y[i] = a * x[i] + y[i];
    }
)";

static cl::Platform find_platform()
{
    const char *wanted = std::getenv("DEMO_PLATFORM");
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (auto &platform : platforms)
        if (platform.getInfo<CL_PLATFORM_NAME>().find(wanted ? wanted : "clpy") != std::string::npos)
            return platform;
    throw cl::Error(CL_INVALID_PLATFORM, "find_platform");
}

static bool saxpy(size_t n)
{
    const float a = 2.0f;
    const int rounds = 5;
    std::vector<float> x(n), y(n), result(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = float(i % 1000);
        y[i] = float((n - 1 - i) % 1000);
    }

    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)find_platform()(), 0};
    const char *wanted = std::getenv("DEMO_DEVICE");
    cl_device_type type = std::string(wanted ? wanted : "") == "gpu" ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    cl::Context context(type, properties);
    cl::Device device = context.getInfo<CL_CONTEXT_DEVICES>().at(0);
    cl::CommandQueue queue(context, device);
    cl::Buffer x_buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(float), x.data());
    cl::Buffer y_buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof(float), y.data());
    cl::Program program(context, source);
    try {
        program.build({device});
    } catch (const cl::Error &) {
        std::cerr << program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device) << std::endl;
        throw;
    }
    cl::Kernel kernel(program, "saxpy");
    kernel.setArg(0, x_buffer);
    kernel.setArg(1, y_buffer);
    kernel.setArg(2, a);

    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        auto start = std::chrono::steady_clock::now();
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(n), cl::NDRange(64));
        queue.finish();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    queue.enqueueReadBuffer(y_buffer, CL_TRUE, 0, n * sizeof(float), result.data());

    // Small whole numbers: every step is exact in float, so the results must be equal.
    bool right = true;
    for (size_t i = 0; i < n; i++)
        right &= result[i] == y[i] + rounds * a * x[i];
    std::printf("{\"program\": \"saxpy (C++)\", \"device\": \"%s\", \"size\": \"%zu floats\", \"seconds\": %.9f, "
                "\"rate\": %.3f, \"unit\": \"GB/s\", \"verified\": %s}\n",
                device.getInfo<CL_DEVICE_NAME>().c_str(), n, best, 3.0 * n * sizeof(float) / best / 1e9,
                right ? "true" : "false");
    return right;
}

int main(int argc, char **argv)
{
    try {
        size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : size_t(1) << 24;
        return saxpy(n) ? 0 : 1;
    } catch (const cl::Error &error) {
        std::cerr << error.what() << " failed: " << error.err() << std::endl;
        return 1;
    }
}
