import { Badge, Button, NavLink, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useRead } from './api/reads.ts'
import type { Deployment, Me, Role } from './api/types.ts'
import { Failure } from './parts/answer.tsx'
import { AwayBar } from './parts/away.tsx'
import { CurlButton } from './parts/curl.tsx'
import { Words } from './parts/words.tsx'
import { signOut } from './session/tokens.ts'
import { common } from './texts/common.ts'
import { frameTexts } from './texts/frame.ts'
import { useLanguage, useTexts } from './texts/language.tsx'

const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }))

type Texts = ReturnType<typeof useTexts<(typeof frameTexts)['en']>>
type PageName =
  | 'companies'
  | 'inbox'
  | 'webhooks'
  | 'deliveries'
  | 'feed'
  | 'catalogue'
  | 'usage'
  | 'mail'
  | 'health'
  | 'sandbox'
  | 'ownerPages'
  | 'members'
  | 'audit'
  | 'account'

export interface Destination {
  path: string
  name: string
  isInside: boolean
}

/** Where this member can go, in the order of the menu. */
function listDestinations(texts: Texts, role: Role | undefined, isSandbox: boolean): Destination[] {
  const isAdmin = role === 'admin'
  const mayChange = isAdmin || role === 'developer'
  const to = (path: string, name: PageName, isInside = false) => ({ path, name: texts[name], isInside })
  return [
    to('/companies', 'companies'),
    to('/inbox', 'inbox'),
    to('/webhooks', 'webhooks'),
    to('/webhooks/deliveries', 'deliveries', true),
    to('/webhooks/feed', 'feed', true),
    to('/catalogue', 'catalogue'),
    to('/usage', 'usage'),
    ...(mayChange ? [to('/mail', 'mail')] : []),
    ...(isAdmin ? [to('/health', 'health')] : []),
    ...(isSandbox ? [to('/sandbox', 'sandbox')] : []),
    ...(isAdmin ? [to('/owner-pages', 'ownerPages'), to('/members', 'members'), to('/audit', 'audit')] : []),
    to('/account', 'account'),
  ]
}

/** What stands round every page: who and where one is, the menu, language, theme, and the palette. */
export function Frame({ children }: { children: ReactNode }) {
  const texts = useTexts(frameTexts)
  const me = useRead<Me>('/auth/me')
  const deployment = useRead<Deployment>('/deployment')
  const [location, navigate] = useLocation()
  // Going anywhere closes the menu, which on a phone covers the page.
  const [menuOpenAt, setMenuOpenAt] = useState<string | null>(null)
  const isMenuOpen = menuOpenAt === location
  const [palette, setPalette] = useState<'unread' | 'open' | 'closed'>('unread')
  const [isCurlOpen, setIsCurlOpen] = useState(false)
  const actions = useActions(me.data, navigate, () => setIsCurlOpen(true))
  useHotkeys([['mod+K', () => setPalette('open')]], [])
  const isSandbox = deployment.data?.environment === 'sandbox'
  // What depends on who is here comes at once, so that nothing in the menu moves.
  const isKnown = !me.isPending && !deployment.isPending
  const destinations = listDestinations(texts, me.data?.role, isSandbox)
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="head">
        <Button
          className="menu-button"
          variant="default"
          size="xs"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpenAt(isMenuOpen ? null : location)}
        >
          {texts.menu}
        </Button>
        <Link href="/companies" className="brand">
          Countinghouse
        </Link>
        <span className="head-space">{isSandbox && <Badge className="sandbox-badge">{texts.sandboxNote}</Badge>}</span>
        <Button variant="default" size="xs" onClick={() => setPalette('open')} aria-keyshortcuts="Control+K Meta+K">
          {texts.go} <kbd className="wide-only">Ctrl K</kbd>
        </Button>
        <CurlButton isOpen={isCurlOpen} onTurn={setIsCurlOpen} />
      </header>
      <nav className="menu" id="menu" data-open={isMenuOpen} aria-label={texts.main}>
        {isKnown &&
          destinations.map(({ path, name, isInside }) => (
            <NavLink
              key={path}
              component={Link}
              href={path}
              label={name}
              active={isHere(location, path)}
              aria-current={isHere(location, path) ? 'page' : undefined}
              className={isInside ? 'inside' : undefined}
            />
          ))}
        {isKnown && <NavLink component="a" href="/admin/api/docs" label={texts.reference} />}
        {isKnown && <MenuFoot me={me.data} />}
      </nav>
      <main id="content" tabIndex={-1}>
        <AwayBar />
        {/* Without them the menu lacks entries. */}
        <div className="notice">
          <Failure reads={[me, deployment].filter(({ data }) => data === undefined)} />
        </div>
        {children}
      </main>
      {palette !== 'unread' && (
        <Suspense>
          <Palette
            destinations={destinations}
            actions={actions}
            isOpen={palette === 'open'}
            onClose={() => setPalette('closed')}
            onGo={navigate}
          />
        </Suspense>
      )}
    </div>
  )
}

/** What can be done from anywhere by its name. */
export interface Action {
  name: string
  run(): void
}

function useActions(me: Me | undefined, navigate: (path: string) => void, onCurl: () => void): Action[] {
  const texts = useTexts(frameTexts)
  const { curl } = useTexts(common)
  const { language, speak } = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const to = (name: string, path: string) => ({ name, run: () => navigate(path) })
  const may = (...roles: Role[]) => me !== undefined && roles.includes(me.role)
  return [
    ...(may('admin', 'developer', 'integration') ? [to(texts.addCompany, '/companies?do=add')] : []),
    ...(may('admin', 'developer') ? [to(texts.addEndpoint, '/webhooks?do=add'), to(texts.receiveHere, '/webhooks?do=receive')] : []),
    ...(may('admin') ? [to(texts.addMember, '/members?do=add')] : []),
    { name: curl, run: onCurl },
    { name: texts.toFrench, run: () => speak(language === 'fr' ? 'en' : 'fr') },
    { name: isDark ? texts.toLight : texts.toDark, run: () => setColorScheme(isDark ? 'light' : 'dark') },
    { name: texts.reference, run: () => location.assign('/admin/api/docs') },
    { name: texts.signOut, run: () => void signOut() },
  ]
}

/** The page itself or, but for the pages that have entries of their own, one below it. */
function isHere(location: string, path: string): boolean {
  if (location === path) return true
  return location.startsWith(`${path}/`) && !(path === '/webhooks' && /^\/webhooks\/(deliveries|feed)/.test(location))
}

function MenuFoot({ me }: { me: Me | undefined }) {
  const texts = useTexts(frameTexts)
  return (
    <div className="menu-foot">
      <div className="menu-person">
        <Words most={60}>{me?.name ?? ' '}</Words>
        <Words most={60}>{me?.instanceName ?? ' '}</Words>
      </div>
      <Tastes />
      <Button variant="default" size="xs" onClick={() => void signOut()}>
        {texts.signOut}
      </Button>
    </div>
  )
}

/** Language and theme. */
export function Tastes() {
  const texts = useTexts(frameTexts)
  const { language, speak } = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return (
    <>
      <Button variant="default" size="xs" lang={language === 'fr' ? 'en' : 'fr'} onClick={() => speak(language === 'fr' ? 'en' : 'fr')}>
        {texts.toFrench}
      </Button>
      <Button variant="default" size="xs" onClick={() => setColorScheme(isDark ? 'light' : 'dark')}>
        {isDark ? texts.toLight : texts.toDark}
      </Button>
    </>
  )
}
