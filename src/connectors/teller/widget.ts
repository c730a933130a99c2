/**
 * Opens Teller Connect and passes its result on. All of it is verified afterwards: the token by using it, the rest by
 * Teller's signature.
 * Source: https://teller.io/docs/guides/connect
 */
export const glue = `
const connect = TellerConnect.setup({
  applicationId: params.applicationId,
  environment: params.environment,
  products: ['balance', 'transactions'],
  selectAccount: 'multiple',
  nonce: params.nonce,
  ...(params.institution ? { institution: params.institution } : {}),
  ...(params.enrollmentId ? { enrollmentId: params.enrollmentId } : {}),
  onSuccess: (given) =>
    finish({
      accessToken: given.accessToken,
      userId: given.user?.id ?? '',
      enrollmentId: given.enrollment?.id ?? '',
      signatures: (given.signatures ?? []).join(' '),
    }),
  onFailure: (failure) => finish({ failure: String(failure?.code ?? failure?.type ?? 'unknown') }),
  onExit: cancel,
})
connect.open()
`
