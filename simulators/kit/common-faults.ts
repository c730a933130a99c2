/** Faults of the bodies of an HTTP API, the same at many sources. */
export const BODY_FAULTS = {
  html: 'API: a page of HTML with 200',
  truncated: 'API: truncated JSON',
  empty: 'API: 200 without a body',
  slow: 'API: held until release()',
} as const

/** Faults of the token endpoint of `OAuthServer`. */
export const TOKEN_FAULTS = {
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 429',
  tokenHtml: 'token endpoint: a page of HTML with 200',
  invalidClient: 'token endpoint: the app keys are refused',
} as const
