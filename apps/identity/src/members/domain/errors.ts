import { declareError } from '@platform-backend/core';

export const memberNotFound = declareError('not_found', 'member_not_found', 'Member not found');
export const organisationNotFound = declareError('not_found', 'organisation_not_found', 'Organisation not found');
export const alreadyAMember = declareError('conflict', 'already_a_member', 'This person is a member already');
export const invitationNotFound = declareError('not_found', 'invitation_not_found', 'Invitation not found');
export const memberNotJoined = declareError(
  'conflict',
  'member_not_joined',
  'The invitation has not been accepted yet',
);
export const alreadyInvited = declareError('conflict', 'already_invited', 'This person is invited already');
export const alreadyOwner = declareError('conflict', 'already_owner', 'You are an OWNER already');
export const memberNotActive = declareError('conflict', 'member_not_active', 'The member is not active');
export const noSeatLeft = declareError('conflict', 'no_seat_left', 'No seat is left');
export const lastOwner = declareError('conflict', 'last_owner', 'An organisation needs at least one active OWNER');
export const personRequired = declareError(
  'forbidden',
  'person_required',
  'An API key invites and promotes up to EDITOR; sign in to make somebody an ADMIN',
);
