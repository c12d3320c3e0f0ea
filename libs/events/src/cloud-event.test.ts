import { describe, expect, it } from '@jest/globals';
import { parseCloudEvent, toCloudEvent } from './cloud-event.ts';
import type { Event } from './event.ts';

const event: Event = {
  type: 'platform.v1.library.book.returned',
  organisationId: 'org_1',
  subject: 'book-7',
  data: { title: 'Emma', late: true },
  time: new Date('2026-03-01T12:00:00.007Z'),
};

describe('an event on its way', () => {
  it('is a CloudEvent 1.0 that names its source, organisation, actor and request', () => {
    const actor = { type: 'user', id: 'user-1', name: 'Ada' } as const;
    expect(toCloudEvent({ ...event, id: 'e-1', actor, requestId: 'r-1' })).toEqual({
      specversion: '1.0',
      id: 'e-1',
      source: '/platform/library',
      type: 'platform.v1.library.book.returned',
      subject: 'book-7',
      time: '2026-03-01T12:00:00.007Z',
      datacontenttype: 'application/json',
      organisationid: 'org_1',
      actorkind: 'user',
      actorid: 'user-1',
      actorname: 'Ada',
      requestid: 'r-1',
      data: { title: 'Emma', late: true },
    });
  });

  it('arrives as it was sent', () => {
    const sent = { ...event, id: 'e-1', actor: { type: 'service', id: 'billing' } as const, requestId: 'r-1' };
    const arrived = parseCloudEvent(JSON.stringify(toCloudEvent(sent)));
    expect(arrived).toEqual({ ...sent, source: '/platform/library' });
  });

  it('tells for whom a key has acted', () => {
    const actor = { type: 'api_key', id: 'k-1', name: 'Nightly', onBehalfOf: { id: 'user-1', name: 'Ada' } } as const;
    const sent = toCloudEvent({ ...event, actor });
    expect(sent).toMatchObject({ actorid: 'k-1', onbehalfofid: 'user-1', onbehalfofname: 'Ada' });
    expect(parseCloudEvent(JSON.stringify(sent)).actor).toEqual(actor);
  });

  it('gets an id of its own unless it has one', () => {
    expect(toCloudEvent(event).id).not.toBe(toCloudEvent(event).id);
  });

  it('may carry attributes that this version does not know', () => {
    const newer = { ...toCloudEvent(event), traceparent: '00-1', actorkind: 'robot', actorid: 'r2' };
    expect(parseCloudEvent(JSON.stringify(newer))).not.toHaveProperty('actor');
  });

  it.each([
    ['a type without version', { type: 'library.book.returned' }],
    ['a type of another shape', { type: 'platform.v1.library.returned' }],
    ['no organisation', { organisationId: '' }],
    ['no subject', { subject: '' }],
    ['an impossible time', { time: new Date(Number.NaN) }],
  ])('is refused where it is made with %s', (_, change) => {
    expect(() => toCloudEvent({ ...event, ...change })).toThrow();
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another version', JSON.stringify({ ...toCloudEvent(event), specversion: '0.3' })],
    ['no id', JSON.stringify({ ...toCloudEvent(event), id: undefined })],
    ['no organisation', JSON.stringify({ ...toCloudEvent(event), organisationid: 7 })],
    ['no time', JSON.stringify({ ...toCloudEvent(event), time: 'soon' })],
    ['no data', JSON.stringify({ ...toCloudEvent(event), data: [1] })],
  ])('is refused where it arrives with %s', (_, body) => {
    expect(() => parseCloudEvent(body)).toThrow();
  });
});
