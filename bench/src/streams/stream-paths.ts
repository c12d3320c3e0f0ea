/** What callers and the stand-in for a service have in common. */

/** Streams as many messages as are asked for. */
export const READ = '/bench.StreamService/Read';
/** Frames of a kernel for one of its client. */
export const ANSWERS_OF_A_ROUND_TRIP = 5;
