/** Largest message either way, in bytes: an upload of 25 MiB and its surroundings. */
export const LARGEST_MESSAGE = 32 * 1024 * 1024;
