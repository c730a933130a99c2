/**
 * All queries.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360019968212-API-Reference
 */

/** Signed-in person, and one page of the businesses that the token covers. */
export const BUSINESSES = `query Businesses($page: Int!) {
  user { defaultEmail }
  businesses(page: $page, pageSize: 50) {
    pageInfo { currentPage totalPages totalCount }
    edges { node { id name isArchived } }
  }
}`

/** One page each of the active and of the archived accounts: without `isArchived` the archived ones may be left out. */
export const ACCOUNTS = `query Accounts($businessId: ID!, $pageSize: Int!, $active: Boolean!, $activePage: Int!, $archived: Boolean!, $archivedPage: Int!) {
  business(id: $businessId) {
    id
    active: accounts(page: $activePage, pageSize: $pageSize, isArchived: false) @include(if: $active) { ...accountPage }
    archived: accounts(page: $archivedPage, pageSize: $pageSize, isArchived: true) @include(if: $archived) { ...accountPage }
  }
}
fragment accountPage on AccountConnection {
  pageInfo { currentPage totalPages totalCount }
  edges {
    node {
      id name description displayId normalBalanceType isArchived sequence balance balanceInBusinessCurrency
      currency { code }
      type { value name }
      subtype { value name }
    }
  }
}`
