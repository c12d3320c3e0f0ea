import { Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServiceStream } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { callingBy, CLIENTS, closeOpened, DOWN, grpcServer, STREAM, UP } from './channels-under-test.ts';

afterEach(closeOpened);

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  const { channelTo, begin, heardOf } = callingBy(open);

  describe('with a server of grpc-js', () => {
    it('streams answers no faster than they are read', async () => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const many = 400;
      let written = 0;
      const { address } = await grpcServer({
        stream: (served) => {
          const more = (): void => {
            while (written < many) {
              written += 1;
              if (!served.write(piece)) {
                served.once('drain', more);
                return;
              }
            }
            served.end();
          };
          more();
        },
      });
      const stream = await begin(channelTo(address));
      let read = 0;
      let isEnded = false;
      stream.on('data', () => {
        read += 1;
        if (read === 1) stream.pause();
      });
      stream.on('end', () => (isEnded = true));
      stream.end();
      await waitFor(() => read > 0);
      let before = -1;
      await waitFor(
        () => {
          const stays = written === before;
          before = written;
          return stays;
        },
        { interval: 100 },
      );
      expect(written).toBeLessThan(many / 4);
      expect(read).toBeLessThan(many / 8);
      stream.resume();
      await waitFor(() => isEnded);
      expect(read).toBe(many);
    });

    it('streams requests no faster than they are read', async () => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const many = 400;
      const reading = Promise.withResolvers<undefined>();
      const { address } = await grpcServer({
        stream: (served) => {
          let read = 0;
          void reading.promise.then(() => {
            served.on('data', () => (read += 1));
            served.on('end', () => {
              served.write(Buffer.from(String(read)));
              served.end();
            });
          });
        },
      });
      const stream = await begin(channelTo(address));
      const heard = heardOf(stream);
      let written = 0;
      const more = (): void => {
        while (written < many) {
          written += 1;
          if (!stream.write(piece)) {
            stream.once('drain', more);
            return;
          }
        }
        stream.end();
      };
      more();
      let before = -1;
      await waitFor(
        () => {
          const stays = written === before;
          before = written;
          return stays;
        },
        { interval: 100 },
      );
      expect(written).toBeLessThan(many / 4);
      reading.resolve(undefined);
      expect((await heard).messages.map(String)).toEqual([String(many)]);
    });

    it('lets a service answer after the last request, and end before it', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.once('data', (bytes: Buffer) => {
            if (String(bytes) === 'enough') {
              served.write(Buffer.from('bye'));
              served.end();
            } else served.on('end', () => (served.write(Buffer.from('after')), served.end())).resume();
          });
        },
      });
      const channel = channelTo(address);
      const patient = await begin(channel);
      const late = heardOf(patient);
      patient.write(Buffer.from('first'));
      patient.end();
      expect((await late).messages.map(String)).toEqual(['after']);

      const impatient = await begin(channel);
      const early = heardOf(impatient);
      impatient.write(Buffer.from('enough'));
      expect(await early).toMatchObject({ messages: [Buffer.from('bye')] });
      expect((await early).failure).toBeUndefined();
      // Nobody reads it, and nothing comes of it.
      impatient.write(Buffer.from('more'));
      impatient.end();
    });

    it('leaves room for others on its connection when a service ends streams whose requests it has not read', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.once('data', () => served.emit('error', { code: status.INVALID_ARGUMENT, details: 'enough' }));
        },
      });
      const channel = channelTo(address);
      for (let round = 0; round < 20; round += 1) {
        const streams = await Promise.all(
          [1, 2, 3, 4].map(async () => {
            const stream = await begin(channel, 5_000);
            const heard = heardOf(stream);
            for (const bytes of [70_000, 60_000, 1]) stream.write(Buffer.alloc(bytes));
            return (await heard).failure;
          }),
        );
        for (const failed of streams) expect(failed).toMatchObject({ code: status.INVALID_ARGUMENT });
      }
    });

    it('tells of a failure behind the messages that came before it', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.write(Buffer.from('one'));
          served.write(Buffer.from('two'));
          served.emit('error', { code: status.ABORTED, details: 'gone', metadata: new Metadata() });
        },
      });
      const { messages, failure: failed } = await heardOf(await begin(channelTo(address)));
      expect(messages.map(String)).toEqual(['one', 'two']);
      expect(failed).toMatchObject({ code: status.ABORTED, details: 'gone' });
    });

    it('streams in one direction alone, either way', async () => {
      const { address } = await grpcServer();
      const channel = channelTo(address);
      const up = await begin(channel, 10_000, UP);
      const total = heardOf(up);
      for (const bytes of [1, 70_000, 0, 300_000]) up.write(Buffer.alloc(bytes));
      up.end();
      expect(await total).toEqual({ messages: [Buffer.from('370001')] });
      const down = await begin(channel, 10_000, DOWN);
      const answers = heardOf(down);
      down.write(Buffer.from('1000'));
      down.end();
      expect((await answers).messages.map(String)).toEqual(Array.from({ length: 1000 }, (_, n) => String(n + 1)));
    });

    it.each([UP, DOWN, STREAM])(
      'ends %s at its deadline and when it is given up, and the service hears of it',
      async (path) => {
        const unwantedCall = { isServed: false, isCancelled: false };
        const stuck = (served: {
          on(event: 'cancelled', listener: () => void): unknown;
          getDeadline(): unknown;
        }): void => {
          // The late one may reach a busy server when it is over.
          if (Number(served.getDeadline()) - Date.now() < 10_000) return;
          unwantedCall.isServed = true;
          served.on('cancelled', () => (unwantedCall.isCancelled = true));
        };
        const { address } = await grpcServer({ up: stuck, down: stuck, stream: stuck });
        const channel = channelTo(address);
        const ask = async (ms: number): Promise<ServiceStream> => {
          const stream = await begin(channel, ms, path);
          stream.write(Buffer.from('ask'));
          if (path === DOWN) stream.end();
          return stream;
        };
        expect((await heardOf(await ask(400))).failure?.code).toBe(status.DEADLINE_EXCEEDED);
        const unwanted = await ask(60_000);
        const ended = heardOf(unwanted);
        await waitFor(() => unwantedCall.isServed);
        unwanted.cancel();
        expect((await ended).failure?.code).toBe(status.CANCELLED);
        await waitFor(() => unwantedCall.isCancelled);
      },
    );

    it('ends at its deadline and when it is given up, also while either side is held back', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          for (let n = 0; n < 100; n += 1) served.write(Buffer.alloc(64 * 1024));
        },
      });
      const channel = channelTo(address);
      for (const code of [status.DEADLINE_EXCEEDED, status.CANCELLED]) {
        const stream = await begin(channel, code === status.CANCELLED ? 30_000 : 500);
        const heard = heardOf(stream);
        // An error is told at once, and the end behind all that came before.
        stream.once('error', () => stream.resume());
        stream.once('data', () => {
          stream.pause();
          let hasRoom = true;
          while (hasRoom) hasRoom = stream.write(Buffer.alloc(64 * 1024));
          if (code === status.CANCELLED) stream.cancel();
        });
        expect((await heard).failure?.code).toBe(code);
      }
    });

    it('tells whoever is held back that the service has ended, which makes no more room', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.once('data', (bytes: Buffer) => {
            if (bytes.length > 0) served.emit('error', { code: status.INVALID_ARGUMENT, details: 'enough' });
            else served.end();
          });
        },
      });
      const channel = channelTo(address);
      for (const [first, code] of [
        ['', undefined],
        ['x', status.INVALID_ARGUMENT],
      ] as const) {
        const stream = await begin(channel);
        const heard = heardOf(stream);
        stream.write(Buffer.from(first));
        let hasRoom = true;
        while (hasRoom) hasRoom = stream.write(Buffer.alloc(64 * 1024));
        expect((await heard).failure?.code).toBe(code);
        // Whatever is said behind the end is dropped.
        stream.write(Buffer.alloc(1024 * 1024));
        stream.end();
        stream.cancel();
      }
    });

    it('streams no message that is larger than may be, either way', async () => {
      const { address } = await grpcServer({ down: (served) => void served.write(Buffer.alloc(33 * 1024 * 1024)) });
      const channel = channelTo(address);
      const up = await begin(channel, 10_000, UP);
      const refused = heardOf(up);
      up.write(Buffer.alloc(33 * 1024 * 1024));
      expect((await refused).failure?.code).toBe(status.RESOURCE_EXHAUSTED);
      const down = await begin(channel, 10_000, DOWN);
      const unread = heardOf(down);
      down.write(Buffer.from('ask'));
      down.end();
      expect(await unread).toMatchObject({ messages: [], failure: { code: status.RESOURCE_EXHAUSTED } });
      // The connection is as good as before.
      const again = await begin(channel, 10_000, UP);
      const whole = heardOf(again);
      again.write(Buffer.alloc(1024 * 1024));
      again.end();
      expect((await whole).messages.map(String)).toEqual([String(1024 * 1024)]);
    });

    it('lets a stream go on at a server that says goodbye', async () => {
      const { address, server } = await grpcServer();
      const stream = await begin(channelTo(address), 30_000);
      const heard = heardOf(stream);
      stream.write(Buffer.from('hello'));
      await once(stream, 'data');
      server.tryShutdown(() => undefined);
      await delay(100);
      stream.write(Buffer.from('bye'));
      stream.end();
      expect((await heard).messages.map(String)).toEqual(['hello', 'bye']);
    });
  });
});
