/** Reads that a replica may answer: review this list whenever it changes. Also pages and lines with `asOf`. */
export const ON_REPLICAS = `
/audit
/audit/download
/jobs/dead
/mails
/normalized-data/companies
/normalized-data/company/:companyId/consents
/normalized-data/company/:companyId/data-connection/:serviceId/consents
/normalized-data/company/:companyId/data-connection/:serviceId/quality
/normalized-data/company/:companyId/data-connection/:serviceId/runs
/normalized-data/company/:companyId/data-connection/:serviceId/runs/:runId
/normalized-data/company/:companyId/data-connection/:serviceId/timeline
/normalized-data/consents
/normalized-data/data-connection/statuses
/normalized-data/exports
/normalized-data/exports/:exportId
/normalized-data/exports/:exportId/file
/normalized-data/receipts
/usage
/usage/funnel
/webhooks/deliveries`
  .trim()
  .split('\n')
