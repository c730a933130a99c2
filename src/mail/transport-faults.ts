/**
 * Errors of connecting to a mail server, with remedies.
 * Source: https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'The certificate of the mail server has expired: it has to be renewed there'],
  [
    /CERT_NOT_YET_VALID|certificate is not yet valid/i,
    'The certificate of the mail server is not valid yet: check the clocks of both machines',
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate/i,
    'The certificate of the mail server is for another name: put the name that it bears into SMTP_URL',
  ],
  [
    /SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|CERT_UNTRUSTED|INVALID_CA|self.signed|unable to (?:get|verify)/i,
    'The certificate of the mail server is not trusted here: have it issued by a known authority, or name that authority’s certificate in NODE_EXTRA_CA_CERTS',
  ],
  [
    /wrong version number|ERR_SSL|SSL routines/i,
    'The mail server speaks no TLS as it was asked to: check smtp:// or smtps:// and the port in SMTP_URL',
  ],
  [
    /STARTTLS/i,
    'The mail server offers no encryption: use another port or server in SMTP_URL, or ?tls=off where nobody else can read the network',
  ],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'The name of the mail server cannot be found: check SMTP_URL and the name service'],
  [/ECONNREFUSED/, 'Nothing listens at the address of the mail server: check the name and the port in SMTP_URL'],
  [/ETIMEDOUT|timeout/i, 'The mail server did not answer in time: check SMTP_URL, firewalls, and whether the server runs'],
  [/ECONNRESET|EPIPE|closed unexpectedly/i, 'The mail server broke the connection off: it is tried again'],
]

/** Explanation in plain English, and in brackets the transport's own text. */
export function explainTransport(error: Error, code: string): string {
  // NOTE the transport replaces the system's error code by one of its own.
  const given = 'originalCode' in error && typeof error.originalCode === 'string' ? error.originalCode : code
  const own = [given === '' ? error.name : given, error.message].filter(Boolean).join(': ')
  const known = FAULTS.find(([pattern]) => pattern.test(own))
  return known ? `${known[1]} (${own})` : own
}
