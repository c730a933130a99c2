import { useCallback, useEffect, useState } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { callOperator, type OperatorSession, onSessionEnd } from '../api/operator.ts'
import { settleProof } from '../api/proof.ts'
import { queries } from '../api/reads.ts'
import { EntryLayout } from '../session/entry-layout.tsx'
import { OperatorAccount } from './account.tsx'
import { OperatorFrame } from './frame.tsx'
import { OperatorHealth } from './health.tsx'
import { InstancePage } from './instance.tsx'
import { InstancesPage } from './instances.tsx'
import { OneTimeLinkPage } from './link.tsx'
import { OperatorsPage } from './operators.tsx'
import { OperatorProofGate } from './proof-gate.tsx'
import { SecondStep, SetUp, SignIn } from './sign-in.tsx'

/** Pages of operators, below `/operator`, with a session of their own. */
export function OperatorApp() {
  const [token, setToken] = useState(() => (location.pathname === '/operator/link' ? location.hash.slice(1) : null))
  if (token !== null) {
    const leave = () => {
      history.replaceState(null, '', '/operator/')
      setToken(null)
    }
    return (
      <EntryLayout>
        <OneTimeLinkPage token={token} onBack={leave} />
      </EntryLayout>
    )
  }
  return <Session />
}

function Session() {
  const [session, setSession] = useState<OperatorSession | null | 'unknown'>('unknown')
  const look = useCallback(() => {
    callOperator<OperatorSession>('/session').then(setSession, () => setSession(null))
  }, [])
  useEffect(look, [look])
  useEffect(() => onSessionEnd(() => setSession(null)), [])
  useEffect(() => {
    if (session !== null) return
    // As `forget` of a user's session.
    settleProof(false)
    queries.clear()
  }, [session])
  if (session === 'unknown') return null
  if (session?.step === 'open') return <Pages session={session} onEnd={() => setSession(null)} />
  return (
    <EntryLayout>
      {session === null && <SignIn onDone={look} />}
      {session?.step === 'second' && <SecondStep onDone={look} onBack={() => setSession(null)} />}
      {session?.step === 'setup' && <SetUp onDone={look} />}
    </EntryLayout>
  )
}

function Pages({ session, onEnd }: { session: OperatorSession; onEnd(): void }) {
  return (
    <Router base="/operator">
      <OperatorFrame session={session} onEnd={onEnd}>
        <Switch>
          <Route path="/instances" component={InstancesPage} />
          <Route path="/instances/:instanceId" component={InstancePage} />
          <Route path="/operators" component={OperatorsPage} />
          <Route path="/account" component={OperatorAccount} />
          <Route path="/health" component={OperatorHealth} />
          <Route>
            <Redirect to="/instances" replace />
          </Route>
        </Switch>
        <OperatorProofGate />
      </OperatorFrame>
    </Router>
  )
}
