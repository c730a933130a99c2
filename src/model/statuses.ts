/**
 * Codes and names of the connection statuses.
 * Source: the public documentation of the API that the specification describes; 27 is ours.
 */
const STATUSES = {
  2: 'Loading',
  6: 'Authorization',
  7: 'Error in Authorization',
  8: 'Deauthorized',
  9: 'Authorized',
  11: 'Loading Error',
  12: 'Loaded',
  13: 'Structuring',
  14: 'Structuring Error',
  15: 'Structured',
  16: 'Processing',
  17: 'Processing error',
  18: 'Processed',
  19: 'Synced',
  20: 'Authorization timedout',
  23: 'Timed Out',
  25: 'Waiting For Webhook',
  26: 'Disconnected',
  27: 'Suspended',
} as const

export type StatusCode = keyof typeof STATUSES
export type StatusName = (typeof STATUSES)[StatusCode]

export const Status = {
  Loading: 2,
  Authorization: 6,
  AuthorizationError: 7,
  Deauthorized: 8,
  Authorized: 9,
  LoadingError: 11,
  Loaded: 12,
  Structuring: 13,
  StructuringError: 14,
  Structured: 15,
  Processing: 16,
  ProcessingError: 17,
  Processed: 18,
  Synced: 19,
  AuthorizationTimedOut: 20,
  TimedOut: 23,
  WaitingForWebhook: 25,
  Disconnected: 26,
  Suspended: 27,
} as const satisfies Record<string, StatusCode>

export const STATUS_CODES: readonly StatusCode[] = Object.values(Status)

/** Statuses that end a connection or need somebody; a sync can start from all others. */
const FAULTS: readonly StatusCode[] = [
  Status.AuthorizationError,
  Status.AuthorizationTimedOut,
  Status.Deauthorized,
  Status.LoadingError,
  Status.StructuringError,
  Status.ProcessingError,
  Status.TimedOut,
]

/** State machine of a connection: the only allowed transitions. 26 and 27 can be reached from all statuses but 26. */
const TRANSITIONS: Record<StatusCode, readonly StatusCode[]> = {
  6: [7, 9, 20, 25],
  7: [6, 9],
  20: [6, 7, 9],
  25: [9, 7, 20],
  9: [2, 8, 11],
  2: [12, 11, 8, 14, 17, 23],
  12: [13, 11, 14, 23],
  13: [15, 14, 23],
  15: [16, 2, 8, 9, 11, 14, 17, 23],
  16: [18, 17, 23],
  18: [19, 17],
  19: [2, 8, 9, 11, 14, 17, 23],
  8: [9, 2, 15, 19],
  11: [2, 9, 8, 15, 19, 11, 14],
  14: [2, 9, 8, 13, 15, 19, 11, 14],
  17: [2, 9, 8, 15, 19, 11, 14, 16],
  23: [2, 9, 8, 15, 19, 11, 14],
  26: [],
  27: [6, 9, 2, 8, 15, 19, 11, 14, 17, 23],
}

export function isLegalTransition(from: StatusCode, to: StatusCode): boolean {
  if (from === Status.Disconnected) return false
  return to === Status.Disconnected || (to === Status.Suspended && from !== Status.Suspended) || TRANSITIONS[from].includes(to)
}

export function isFault(status: StatusCode): boolean {
  return FAULTS.includes(status)
}

/** Statuses in which the source is not read: waiting for the owner, suspended or ended. */
const UNREADABLE: readonly StatusCode[] = [
  Status.Authorization,
  Status.AuthorizationError,
  Status.AuthorizationTimedOut,
  Status.Deauthorized,
  Status.Suspended,
  Status.Disconnected,
]

export function isReadable(status: StatusCode): boolean {
  return !UNREADABLE.includes(status)
}

export function statusName(code: StatusCode): StatusName {
  return STATUSES[code]
}

/** Status of a connection whose data can be read. */
export function restingStatus(category: 'Accounting' | 'Banking'): StatusCode {
  return category === 'Accounting' ? Status.Structured : Status.Synced
}
