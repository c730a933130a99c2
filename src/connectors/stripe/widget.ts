/**
 * Opens Stripe's window for the session. Only its completion is passed on; the result is read from Stripe.
 * Source: https://docs.stripe.com/js/financial_connections/collect_financial_connections_accounts
 */
export const glue = `
const stripe = Stripe(params.publishableKey, { locale: params.locale })
const { financialConnectionsSession: session, error } = await stripe.collectFinancialConnectionsAccounts({ clientSecret: params.clientSecret })
if (error) finish({ failure: String(error.code ?? error.type ?? 'unknown') })
else if (session.accounts.length === 0) cancel()
else finish({ done: 'yes' })
`
