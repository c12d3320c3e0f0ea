/** So many pipelines start each other at most, the first one included, and so many of their runs wait for each other. */
export const MAX_CHAIN = 5;
