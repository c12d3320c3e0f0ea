/** Largest message either way, in bytes. What the gateway lets in has to fit, whatever it grows to on the way. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
