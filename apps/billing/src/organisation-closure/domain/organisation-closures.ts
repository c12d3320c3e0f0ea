export interface DueClosure {
  readonly organisationId: string;
  readonly deletedAt: Date;
}

/** Organisations that were deleted, each until all is ended that billing has begun for it. */
export interface OrganisationClosures {
  /** Those that nobody works on, the longest left alone first. */
  due(at: Date, limit: number): Promise<readonly DueClosure[]>;
  /** Takes one to work on; false when somebody else was faster, or it is closed. */
  take(organisationId: string, at: Date, leaseUntil: Date): Promise<boolean>;
  /** Nothing is left to end. */
  close(organisationId: string, at: Date): Promise<void>;
}
