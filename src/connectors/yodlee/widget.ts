import type { Widget } from '../contract/authorization.ts'

/**
 * Opens FastLink in its frame. The owner may link several banks before closing it; the linked accounts are read from
 * Yodlee, not from the browser.
 * Source: https://developer.envestnet.com/resources/yodlee/fastlink-4/docs/documentation and …/docs/advanced
 */
const GLUE = `const linked = new Set()
const note = (data) => {
  for (const each of [data, ...(data?.sites ?? [])]) {
    if (each?.providerAccountId && each.status !== 'FAILED') linked.add(String(each.providerAccountId))
  }
}
fastlink.open({
  fastLinkURL: params.url,
  accessToken: params.token,
  forceIframe: true,
  params: {
    configName: params.configName,
    ...(params.flow && { flow: params.flow }),
    ...(params.providerId && { providerId: params.providerId }),
    ...(params.providerAccountId && { providerAccountId: params.providerAccountId }),
  },
  onSuccess: note,
  onError: () => {},
  onEvent: () => {},
  onExit: (data) => {
    note(data)
    if (linked.size > 0) finish({ providerAccountIds: [...linked].join(',') })
    else cancel()
  },
}, 'widget-place')`

export interface FastLink {
  script: string
  url: string
  token: string
  configName: string
  /** FastLink flow with its parameters; by default the choice of a bank. */
  flow: { flow: 'add'; providerId: string } | { flow: 'edit'; providerAccountId: string } | Record<never, never>
}

/**
 * FastLink widget. The token is the user's own and expires in half an hour; FastLink needs it in the owner's browser.
 */
export function toWidget({ script, url, token, configName, flow }: FastLink): Widget {
  return {
    script: `${script}/initialize.js`,
    origins: [new URL(url).origin],
    glue: GLUE,
    params: { url, token: `Bearer ${token}`, configName, ...flow },
  }
}
