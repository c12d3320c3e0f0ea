import { openSandbox, type Sandbox } from '@platform-backend/sandbox';
import type { Area } from '@platform-backend/service';
import { join } from 'node:path';
import type { ContentContext, service } from '../service.ts';

export interface SandboxExports {
  /** What reads bytes that anybody may have made runs in it. It is opened beside the start of the service. */
  readonly sandbox: () => Promise<Sandbox>;
}

/** The sandbox of whatever reads untrusted bytes: readers of documents, ffmpeg, pocketsphinx. */
export const sandboxArea = ({ settings, logger, defer }: ContentContext) => {
  const home = settings.PLATFORM_HOME;
  const opened = openSandbox({
    binary: settings.BWRAP_BINARY,
    ...(home !== undefined && { cacheDirectory: join(home, 'programs') }),
  }).then((sandbox) => {
    if (sandbox.kind === 'none')
      logger.warn(
        { event: 'content.no_sandbox', reason: sandbox.reason },
        'documents are read and recordings decoded without a sandbox here',
      );
    return sandbox;
  });
  defer(async () => void (await opened));
  return { exports: { sandbox: () => opened } satisfies SandboxExports } satisfies Area<typeof service.declaration>;
};
