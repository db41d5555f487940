// SPDX-License-Identifier: Apache-2.0
// A C++ program as a host, through the C++ bindings with exceptions.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

static cl::Platform clpy_platform()
{
    std::vector<cl::Platform> all;
    cl::Platform::get(&all);
    for (auto &platform : all)
        if (platform.getInfo<CL_PLATFORM_NAME>().find("clpy") != std::string::npos)
            return platform;
    throw std::runtime_error("no platform clpy");
}

int main()
{
    try {
        cl::Platform platform = clpy_platform();
        std::vector<cl::Device> devices;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        cl::Context context(devices);
        cl::CommandQueue queue(context, devices[0]);
        cl::Program program(context, "kernel void scale(global float *x, float f) { x[get_global_id(0)] *= f; }", true);
        cl::KernelFunctor<cl::Buffer, float> scale(program, "scale");
        std::vector<float> x(10000), y;
        std::iota(x.begin(), x.end(), 0.0f);
        y = x;
        cl::Buffer buffer(context, x.begin(), x.end(), false);
        scale(cl::EnqueueArgs(queue, cl::NDRange(x.size())), buffer, 2.5f).wait();
        cl::copy(queue, buffer, x.begin(), x.end());
        for (size_t i = 0; i < x.size(); i++)
            if (x[i] != y[i] * 2.5f)
                throw std::runtime_error("wrong result at " + std::to_string(i));
        try {
            cl::Program bad(context, "kernel void f(global float *x) { x[0] = nonsense; }", true);
            throw std::runtime_error("a kernel with an error was built");
        } catch (const cl::BuildError &error) {
            if (error.getBuildLog()[0].second.find("nonsense") == std::string::npos)
                throw std::runtime_error("the build log does not name the error");
        }
        std::cout << "ok\n";
        return 0;
    } catch (const cl::Error &error) {
        std::cerr << error.what() << ": " << error.err() << "\n";
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
    }
    return 1;
}
