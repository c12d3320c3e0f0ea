import { optional, text } from '@platform-backend/core';

export const sandboxSettings = {
  BWRAP_BINARY: optional(
    text({
      defaultDescription: 'on `PATH`, else Debian’s package',
      description:
        'bubblewrap, in which documents are read and recordings decoded; without one that is done by processes without a sandbox, and the log says so',
    }),
  ),
  PLATFORM_HOME: optional(
    text({ description: 'the folder of `npm start`: programs that were unpacked are kept there' }),
  ),
};
