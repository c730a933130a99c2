import { Button, NavLink } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { callOperator, type OperatorSession } from '../api/operator.ts'
import { UnreachableBar } from '../parts/answers/unreachable.tsx'
import { UserText } from '../parts/display/user-text.tsx'
import { Preferences } from '../parts/layout/preferences.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { frameTexts } from '../texts/pages/frame.ts'
import { operatorTexts } from '../texts/pages/operator.ts'

interface FrameProps {
  session: OperatorSession
  onEnd(): void
  children: ReactNode
}

/** Header, menu and operator around a page. */
export function OperatorFrame({ session, onEnd, children }: FrameProps) {
  const texts = useTexts(operatorTexts)
  const words = useTexts(frameTexts)
  const [location] = useLocation()
  const [openAt, setOpenAt] = useState<string | null>(null)
  const isOpen = openAt === location
  const leave = () => void callOperator('/session', { method: 'DELETE' }).finally(onEnd)
  const entries = { '/instances': texts.instances, '/operators': texts.operators, '/health': texts.health, '/account': texts.account }
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <header className="head">
        <Button
          className="menu-button"
          variant="default"
          size="xs"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpenAt(isOpen ? null : location)}
        >
          {words.menu}
        </Button>
        <Link href="/instances" className="brand">
          Countinghouse
        </Link>
        <span className="head-space" />
      </header>
      <nav className="menu" id="menu" data-open={isOpen} aria-label={words.main}>
        {Object.entries(entries).map(([path, name]) => {
          const isHere = location === path || location.startsWith(`${path}/`)
          return <NavLink key={path} component={Link} href={path} label={name} active={isHere} aria-current={isHere ? 'page' : undefined} />
        })}
        <div className="menu-foot">
          <div className="menu-person">
            <UserText most={60}>{session.name}</UserText>
            <UserText most={60}>{texts.role}</UserText>
          </div>
          <Preferences />
          <Button variant="default" size="xs" onClick={leave}>
            {words.signOut}
          </Button>
        </div>
      </nav>
      <main id="content" tabIndex={-1}>
        <UnreachableBar />
        {children}
      </main>
    </div>
  )
}
