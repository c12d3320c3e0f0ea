import type { openSandbox, Sandbox } from '@platform-backend/sandbox';
import type { Area } from '@platform-backend/service';
import { join } from 'node:path';
import type { ContentContext, service } from '../service.ts';
import { programRunner, type RunProgram } from './models/run-program.ts';

export interface SandboxExports {
  /** What reads bytes that anybody may have made runs in it. It is opened beside the start of the service. */
  readonly sandbox: () => Promise<Sandbox>;
  /** Runs a program on such bytes in it. */
  readonly run: RunProgram;
}

/** The sandbox of whatever reads untrusted bytes: readers of documents, ffmpeg, pocketsphinx, tesseract. */
export const sandboxArea = (
  { settings, logger, defer }: ContentContext,
  { openSandbox: open }: { readonly openSandbox: typeof openSandbox },
) => {
  const home = settings.PLATFORM_HOME;
  const opened = open({
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
  const sandbox = () => opened;
  return {
    exports: { sandbox, run: programRunner(sandbox) } satisfies SandboxExports,
  } satisfies Area<typeof service.declaration>;
};
