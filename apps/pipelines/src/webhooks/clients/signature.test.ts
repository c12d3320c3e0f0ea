import { describe, expect, it } from '@jest/globals';
import { newWebhookSecret, signatureHeaders } from './signature.ts';

const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: new Date(1_614_265_330_500),
  payload: '{"test": 2432232314}',
};

describe('the signature of a delivery', () => {
  it('is the one that Standard Webhooks gives as its example', () => {
    expect(signatureHeaders(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is there for each secret while one takes the place of the other', () => {
    const [present, former] = [newWebhookSecret(), newWebhookSecret()];
    const of = (...secrets: string[]) => signatureHeaders(message, secrets)['webhook-signature'];
    expect(present).not.toBe(former);
    expect(Buffer.from(present.slice('whsec_'.length), 'base64')).toHaveLength(24);
    expect(of(present, former)).toBe(`${String(of(present))} ${String(of(former))}`);
  });
});
