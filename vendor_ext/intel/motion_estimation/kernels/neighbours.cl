// SPDX-License-Identifier: Apache-2.0
// What ../../intra_prediction.h has neighbours in: local memory, those of several blocks one behind the other.
#define NEAR const local uchar *e, int stride
#define NEAR_TO_WRITE local uchar *e, int stride
#define SAME e, stride
#define OF(i) e[(i) * stride]
#define PREDICTION
#define HAS_LEFT 1
#define HAS_TOP 2
#define HAS_RIGHT 4
#define HAS_CORNER 8
