import { Metadata } from '@grpc/grpc-js';
import { openChannel } from './channel.ts';
import type { CallHeaders } from './service-channel/attempt.ts';
import {
  openServiceChannel,
  type ServiceChannel,
  type ServiceChannelSettings,
  type ServiceStream,
} from './service-channel/service-channel.ts';

const asItIs = (bytes: Buffer): Buffer => bytes;

/**
 * How the gateway reaches a service: calls with one answer over HTTP/2 itself, which is most of what it does, and streams by
 * the client of grpc-js, see decision 0094.
 */
export function openGatewayChannel(address: string, settings: ServiceChannelSettings = {}): ServiceChannel {
  const calls = openServiceChannel(address, settings);
  const streaming = openChannel(address, settings);
  return {
    ...calls,
    streams: async (deadline) => {
      const client = await streaming.streams(deadline);
      return (path, headers) =>
        // It says the same by the same events.
        client.makeBidiStreamRequest(path, asItIs, asItIs, metadataOf(headers), {
          deadline,
        }) as unknown as ServiceStream;
    },
    close: () => {
      calls.close();
      streaming.close();
    },
  };
}

/** Flat headers as grpc-js takes them. */
export function metadataOf(headers: CallHeaders): Metadata {
  const metadata = new Metadata();
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    metadata.add(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}
