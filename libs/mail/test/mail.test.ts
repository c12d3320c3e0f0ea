import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { openMail } from '../src/open-mail.ts';

const mail = {
  id: '6f2a',
  to: [
    { name: 'Ada', email: 'ada@people.example' },
    { name: '', email: 'office@people.example' },
  ],
  subject: 'Wöchentlich: done',
  text: 'All is well.\n.\nReally <b>.',
};
const invoice = { filename: 'INV-1.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7 …') };

describe('mail by SMTP', () => {
  let received: string[];
  let refusal: { responseCode: number } | undefined;
  let refusalOfSender: { responseCode: number } | undefined;
  let refusalOfAll: { responseCode: number } | undefined;
  let server: SMTPServer;
  let url: string;
  beforeAll(async () => {
    const options: SMTPServerOptions = {
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, done) =>
        password === 'right' ? done(null, { user: username }) : done(new Error('no')),
      onConnect: (_session, done) => done(refusalOfAll && Object.assign(new Error('closed'), refusalOfAll)),
      onMailFrom: (_address, _session, done) =>
        done(refusalOfSender && Object.assign(new Error('who'), refusalOfSender)),
      onRcptTo: (_address, _session, done) => done(refusal && Object.assign(new Error('refused'), refusal)),
      onData(stream, _session, done) {
        let text = '';
        stream.setEncoding('utf8').on('data', (part: string) => (text += part));
        stream.on('end', () => {
          received.push(text);
          done();
        });
      },
    };
    server = new SMTPServer(options);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `smtp://sender:right@127.0.0.1:${String((server.server.address() as AddressInfo).port)}`;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));
  beforeEach(() => {
    received = [];
    refusal = refusalOfSender = refusalOfAll = undefined;
  });

  const send = (to = url, more: object = {}) =>
    openMail({ SMTP_URL: to, SMTP_FROM: 'Platform <no-reply@platform.example>' }, null).send({ ...mail, ...more });

  it('arrives with its sender, subject and text, and an id by which a repetition is known', async () => {
    expect(await send()).toEqual({ outcome: 'SENT' });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatch(/^From: Platform <no-reply@platform\.example>\r$/m);
    expect(received[0]).toMatch(/^To: Ada <ada@people\.example>, office@people\.example\r$/m);
    expect(received[0]).toMatch(/^Message-ID: <6f2a@platform>\r$/m);
    expect(received[0]).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(received[0]).toContain('\r\n\r\nAll is well.\r\n.\r\nReally <b>.');
  });

  it('carries what is attached', async () => {
    expect(await send(url, { attachments: [invoice] })).toEqual({ outcome: 'SENT' });
    expect(received[0]).toMatch(/Content-Type: application\/pdf; name=INV-1\.pdf\r/);
    expect(received[0]).toContain(invoice.content.toString('base64'));
  });

  it('has no more headers than its own, whatever names and subjects hold', async () => {
    const to = [{ name: 'Ada\r\nBcc: eve@people.example', email: 'ada@people.example' }];
    expect(await send(url, { to, subject: 'Done\r\nBcc: eve@people.example\r\n\r\nAnother text' })).toEqual({
      outcome: 'SENT',
    });
    expect(received).toHaveLength(1);
    expect(received[0]).not.toMatch(/^(Bcc|Another)/im);
  });

  it('is tried again when the server cannot take it now, and given up when it never will', async () => {
    refusal = { responseCode: 451 };
    expect(await send()).toEqual({ outcome: 'RETRY', reason: 'The mail server answered 451' });
    refusal = { responseCode: 550 };
    expect(await send()).toEqual({ outcome: 'GIVE_UP', reason: 'The mail server answered 550' });
    expect(await send('smtp://127.0.0.1:9')).toMatchObject({ outcome: 'RETRY' });
  });

  it('is tried again when the server wants nothing of us, as that is not its own fault', async () => {
    refusalOfSender = { responseCode: 550 };
    expect(await send()).toEqual({ outcome: 'RETRY', reason: 'The mail server answered 550' });
    refusalOfAll = { responseCode: 554 };
    expect(await send()).toEqual({ outcome: 'RETRY', reason: 'The mail server answered 554' });
  });

  it('shows nothing of its password', async () => {
    const { outcome, ...rest } = await send(url.replace('right', 'wrong'));
    expect(outcome).toBe('RETRY');
    expect(JSON.stringify(rest)).not.toContain('wrong');
  });
});

describe('mail without a server', () => {
  const noServer = { SMTP_URL: undefined, SMTP_FROM: '' };

  it('is written into a folder, once however often it is sent', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mail-'));
    try {
      const { send, instead } = openMail(noServer, folder);
      expect(instead).toContain(folder);
      for (let time = 0; time < 2; time += 1) await send({ ...mail, attachments: [invoice] });
      expect((await readdir(folder)).sort()).toEqual(['6f2a.INV-1.pdf', '6f2a.mail.txt']);
      expect(await readFile(path.join(folder, '6f2a.mail.txt'), 'utf8')).toBe(
        `To: Ada <ada@people.example>, <office@people.example>\nSubject: ${mail.subject}\nAttachment: INV-1.pdf\n\n${mail.text}\n`,
      );
      expect(await readFile(path.join(folder, '6f2a.INV-1.pdf'))).toEqual(invoice.content);
      await send({ ...mail, to: [{ name: 'Ada\nSubject: other', email: 'ada@people.example' }] });
      expect(await readFile(path.join(folder, '6f2a.mail.txt'), 'utf8')).not.toMatch(/^Subject: other/m);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is given up where there is no folder either', async () => {
    const { send, instead } = openMail(noServer, null);
    expect(await send(mail)).toMatchObject({ outcome: 'GIVE_UP' });
    expect(instead).toContain('not sent');
  });
});
