/** `specnet/network`: networks, landmarks and optimizers. */

export { Mlp } from '../network/bodies/mlp.ts';
export type { MlpOptions } from '../network/bodies/mlp.ts';
export type { Network } from '../network/bodies/network.ts';
export type { Layer } from '../network/layers/layer.ts';
export type { Initial } from '../network/layers/initial.ts';
export type { Points } from '../sparse/points.ts';
export { hiddenLayers } from '../network/bodies/body.ts';
export type { Body } from '../network/bodies/body.ts';
export { chooseLandmarks, Landmarks } from '../network/bodies/landmarks.ts';
export type { LandmarkOptions, NearestLandmarks } from '../network/bodies/landmarks.ts';
export { Optimizer } from '../network/optimizer/optimizer.ts';
export type { OptimizerOptions, OptimizerState } from '../network/optimizer/optimizer.ts';
export type { Rate, RateSchedule } from '../network/optimizer/schedule.ts';
export type { Task, WaitingTask } from '../core/task.ts';
export type { Gradient, PendingGradients, ProductGradient } from '../network/optimizer/gradient.ts';
