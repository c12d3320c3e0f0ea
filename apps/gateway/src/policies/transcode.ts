import { LARGEST_MESSAGE } from '@platform/grpc';
import type { Fail, PolicyDefinition } from '../pipeline/policy.ts';
import { answerWithoutOperation } from '../transcode/answer-without-operation.ts';
import { readBody } from '../transcode/body.ts';
import { heldBodies } from '../transcode/held-bodies.ts';
import type { ServiceChannel } from '../transcode/service-channel.ts';
import { transcoder } from '../transcode/transcoder.ts';

export interface TranscodeParts {
  /** The channel to the service of a domain; undefined where no address is configured. */
  readonly channelOf: (domain: string) => ServiceChannel | undefined;
  readonly fail: Fail;
}

/** How many times its size a JSON body may have as a message: `[0,0]` grows most, each `0,` to a Value of eleven bytes. */
const JSON_GROWTH = 6;
/** Bytes that a message has beside the file in it. */
const BESIDE_A_FILE = 1024 * 1024;

interface Settings {
  readonly deadlineMs: number;
  readonly jsonLimitBytes: number;
  readonly audioLimitBytes: number;
  readonly heldLimitBytes: number;
}

/** The last policy: answers with what the service of the operation says, or with why there is none. */
export const transcodePolicy = ({ channelOf, fail }: TranscodeParts): PolicyDefinition => ({
  name: 'transcode',
  settings: {
    type: 'object',
    properties: {
      deadlineMs: { type: 'integer', minimum: 1, default: 10_000 },
      // Whatever is let in fits into a call to a service.
      jsonLimitBytes: {
        type: 'integer',
        minimum: 1,
        maximum: Math.floor(LARGEST_MESSAGE / JSON_GROWTH),
        default: 1024 * 1024,
      },
      audioLimitBytes: {
        type: 'integer',
        minimum: 1,
        maximum: LARGEST_MESSAGE - BESIDE_A_FILE,
        default: 25 * 1024 * 1024,
      },
      heldLimitBytes: { type: 'integer', minimum: 1, default: 256 * 1024 * 1024 },
    },
  },
  create(settings) {
    const { deadlineMs, jsonLimitBytes, audioLimitBytes, heldLimitBytes } = settings as unknown as Settings;
    const transcode = transcoder({ channelOf, fail, deadlineMs });
    const held = heldBodies(heldLimitBytes);

    return (exchange) => {
      const { route } = exchange.target;
      if (!route) answerWithoutOperation(exchange);
      else if (route.http.body === undefined) transcode(exchange, route, undefined);
      else {
        const { 'content-type': contentType } = exchange.request.headers;
        const limitBytes = route.takesFile(contentType) ? audioLimitBytes : jsonLimitBytes;
        readBody(exchange, { limitBytes, held }, (body) => transcode(exchange, route, body));
      }
    };
  },
});
