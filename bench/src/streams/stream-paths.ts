/** What callers and the stand-in for a service have in common. */

/** Streams as many messages as are asked for. */
export const READ = '/bench.StreamService/Read';
/** Frames of a kernel for one of its client. */
export const ANSWERS_OF_A_ROUND_TRIP = 5;
/** Of an answer that is told as it is written: what begins and ends its stream is no more than a hundredth. */
export const EVENTS_OF_A_TURN = 1_000;
export const TURN = '0199a000-0000-7000-8000-000000000003';
export const CONVERSATION = '0199a000-0000-7000-8000-000000000004';
