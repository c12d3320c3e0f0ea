import { eventStoreSuite } from '@platform/events/testing';
import { mongoStorage } from './event-store.ts';

eventStoreSuite(mongoStorage);
