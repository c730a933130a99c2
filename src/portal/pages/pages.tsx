import { type ComponentType, lazy, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { Boundary } from '../parts/loading/boundary.tsx'

/** Route component that is loaded when it is first shown. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }))
}

const ROUTES: readonly (readonly [string, ComponentType])[] = [
  ['/companies', page(() => import('./companies/companies.tsx'), 'CompaniesPage')],
  ['/companies/:companyId', page(() => import('./companies/company.tsx'), 'CompanyPage')],
  ['/companies/:companyId/connections/:serviceId', page(() => import('./connection/connection.tsx'), 'ConnectionPage')],
  ['/companies/:companyId/connections/:serviceId/records/:recordId', page(() => import('./connection/explanation.tsx'), 'ExplanationPage')],
  ['/inbox', page(() => import('./inbox/inbox.tsx'), 'InboxPage')],
  ['/webhooks', page(() => import('./webhooks/webhooks.tsx'), 'WebhooksPage')],
  ['/webhooks/deliveries', page(() => import('./webhooks/deliveries.tsx'), 'DeliveriesPage')],
  ['/webhooks/feed', page(() => import('./webhooks/feed.tsx'), 'FeedPage')],
  ['/webhooks/receivers/:receiverId', page(() => import('./webhooks/receiver.tsx'), 'ReceiverPage')],
  ['/webhooks/:subscriptionId', page(() => import('./webhooks/endpoint.tsx'), 'EndpointPage')],
  ['/catalogue', page(() => import('./catalogue/catalogue.tsx'), 'CataloguePage')],
  ['/catalogue/:sourceKey', page(() => import('./catalogue/source.tsx'), 'SourcePage')],
  ['/exports', page(() => import('./exports/exports.tsx'), 'ExportsPage')],
  ['/mail', page(() => import('./mail/mail.tsx'), 'MailPage')],
  ['/funnel', page(() => import('./funnel/funnel.tsx'), 'FunnelPage')],
  ['/usage', page(() => import('./usage/usage.tsx'), 'UsagePage')],
  ['/health', page(() => import('./health/health.tsx'), 'HealthPage')],
  ['/sandbox', page(() => import('./sandbox/sandbox.tsx'), 'SandboxPage')],
  ['/owner-pages', page(() => import('./settings/owner-pages.tsx'), 'OwnerPagesPage')],
  ['/members', page(() => import('./members/members.tsx'), 'MembersPage')],
  ['/identity-provider', page(() => import('./identity-provider/identity-provider.tsx'), 'IdentityProviderPage')],
  ['/provisioning', page(() => import('./provisioning/provisioning.tsx'), 'ProvisioningPage')],
  ['/api-keys', page(() => import('./api-keys/api-keys.tsx'), 'ApiKeysPage')],
  ['/audit', page(() => import('./members/audit.tsx'), 'AuditPage')],
  ['/account', page(() => import('./account/account.tsx'), 'AccountPage')],
]

const Unknown = page(() => import('./unknown.tsx'), 'UnknownPage')

export function Pages() {
  const [location] = useLocation()
  return (
    <Boundary at={location}>
      <Suspense fallback={<div className="page" />}>
        <Switch>
          <Route path="/">
            <Redirect to="/companies" replace />
          </Route>
          {ROUTES.map(([path, component]) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route component={Unknown} />
        </Switch>
      </Suspense>
    </Boundary>
  )
}
