/** Thrown to answer with an error in Plaid's format. Source: https://plaid.com/docs/errors/ */
export class PlaidFailure extends Error {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly display: string | null

  constructor(status: number, type: string, code: string, message: string, display: string | null = null) {
    super(message)
    this.name = 'PlaidFailure'
    this.status = status
    this.type = type
    this.code = code
    this.display = display
  }

  toBody(requestId: string): Record<string, unknown> {
    return {
      error_type: this.type,
      error_code: this.code,
      error_message: this.message,
      display_message: this.display,
      documentation_url: `https://plaid.com/docs/errors/#${this.code.toLowerCase()}`,
      suggested_action: null,
      status: this.status,
      request_id: requestId,
    }
  }
}

export function missingField(name: string): PlaidFailure {
  return new PlaidFailure(400, 'INVALID_REQUEST', 'MISSING_FIELDS', `the following required fields are missing: ${name}`)
}

export function invalidField(message: string): PlaidFailure {
  return new PlaidFailure(400, 'INVALID_REQUEST', 'INVALID_FIELD', message)
}

export function itemFailure(code: string): PlaidFailure {
  return new PlaidFailure(400, 'ITEM_ERROR', code, ITEM_MESSAGES[code] ?? `the item is in the state ${code}`, 'Please sign in again.')
}

const ITEM_MESSAGES: Record<string, string> = {
  ITEM_LOGIN_REQUIRED: 'the login details of this item have changed (credentials, MFA, or required user action)',
  USER_PERMISSION_REVOKED: 'the holder of this account has revoked their permission for your application to access it',
  NO_LIABILITY_ACCOUNTS: 'this item has no liability accounts',
  PRODUCT_NOT_READY: 'the requested product is not yet ready; please wait for the webhook or try again later',
  PRODUCTS_NOT_SUPPORTED: 'the following products are not supported by this institution: ["liabilities"]',
}
