import { LARGEST_MESSAGE } from '@platform/grpc';
import { networkOf, type ClientAddressOf } from '../exchange/client-address.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Fail, PolicyDefinition } from '../pipeline/policy.ts';
import { answerWithoutOperation } from '../transcode/answer-without-operation.ts';
import { readBody } from '../transcode/body.ts';
import { heldBodies, type BodyHolder } from '../transcode/held-bodies.ts';
import type { ServiceChannel } from '../transcode/service-channel.ts';
import { transcoder } from '../transcode/transcoder.ts';

export interface TranscodeParts {
  /** The channel to the service of a domain; undefined where no address is configured. */
  readonly channelOf: (domain: string) => ServiceChannel | undefined;
  readonly fail: Fail;
  readonly clientAddressOf: ClientAddressOf;
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
  readonly callerHeldLimitBytes: number;
  readonly addressHeldLimitBytes: number;
}

/** The last policy: answers with what the service of the operation says, or with why there is none. */
export const transcodePolicy = ({ channelOf, fail, clientAddressOf }: TranscodeParts): PolicyDefinition => ({
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
      callerHeldLimitBytes: { type: 'integer', minimum: 1, default: 32 * 1024 * 1024 },
      addressHeldLimitBytes: { type: 'integer', minimum: 1, default: 128 * 1024 * 1024 },
    },
  },
  create(settings) {
    const { deadlineMs, jsonLimitBytes, audioLimitBytes, ...shares } = settings as unknown as Settings;
    const transcode = transcoder({ channelOf, fail, deadlineMs });
    const heldLimits = {
      totalBytes: shares.heldLimitBytes,
      callerBytes: shares.callerHeldLimitBytes,
      networkBytes: shares.addressHeldLimitBytes,
    };
    const held = heldBodies(heldLimits);
    const holderOf = ({ request, caller }: Exchange): BodyHolder => {
      const network = networkOf(clientAddressOf(request));
      return { caller: caller?.apiKeyId ?? caller?.userId ?? network, network };
    };

    return (exchange) => {
      const { route } = exchange.target;
      if (!route) answerWithoutOperation(exchange);
      else if (route.http.body === undefined) transcode(exchange, route, undefined);
      else {
        const { 'content-type': contentType } = exchange.request.headers;
        const limitBytes = route.takesFile(contentType) ? audioLimitBytes : jsonLimitBytes;
        readBody(exchange, { limitBytes, heldLimits, held, holder: holderOf(exchange) }, (body) =>
          transcode(exchange, route, body),
        );
      }
    };
  },
});
