/** Milliseconds since the epoch. An argument everywhere, so that tests own time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
