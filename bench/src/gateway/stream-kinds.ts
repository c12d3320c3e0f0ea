/** What is streamed through both servers. */
import { EVENTS_OF_A_TURN, TURN } from '../streams/stream-paths.ts';

/** Server-sent events of an answer, round trips over the WebSocket of a kernel, files. */
export type StreamKind = 'events' | 'round-trips' | 'uploads';

export const TURN_PATH = `/agents/turns/${TURN}/events/`;
/** The stand-in for content takes any ticket. */
export const UPLOAD_PATH = '/uploads/ticket/';
export const KIBS_OF_AN_UPLOAD = 8 * 1024;

/** Of what is counted in one thing that a caller does: events, round trips, MiB. */
export const COUNTED: Readonly<Record<StreamKind, number>> = {
  events: EVENTS_OF_A_TURN,
  'round-trips': 1,
  uploads: KIBS_OF_AN_UPLOAD / 1024,
};
