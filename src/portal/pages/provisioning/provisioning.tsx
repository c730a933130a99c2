import { Text } from '@mantine/core'
import { Link } from 'wouter'
import type { GroupRoles, Provisioning } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer, PageAnswer } from '../../parts/answers/answer.tsx'
import { Copyable } from '../../parts/display/copy.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { provisioningTexts } from '../../texts/access/provisioning.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { memberTexts } from '../../texts/pages/members.ts'
import { GroupRolesForm } from './group-roles-form.tsx'

const EVERY_MS = 15_000

/** Users and groups that come by SCIM, and the roles of groups. */
export function ProvisioningPage() {
  const texts = useTexts(provisioningTexts)
  const state = useRead<Provisioning>('/provisioning', { everyMs: EVERY_MS })
  const roles = useRead<GroupRoles>('/group-roles')
  return (
    <PageAnswer read={state}>
      {(known) => (
        <Page title={texts.title} lead={texts.lead}>
          <Section title={texts.state}>
            <State of={known} />
          </Section>
          <Section title={texts.roles}>
            <Answer read={roles}>{({ groupRoles }) => <GroupRolesForm known={groupRoles} groups={known.groups} />}</Answer>
          </Section>
          <Section title={texts.known}>
            <KnownGroups of={known} />
          </Section>
        </Page>
      )}
    </PageAnswer>
  )
}

function State({ of: state }: { of: Provisioning }) {
  const texts = useTexts(provisioningTexts)
  const { users, inactiveUsers, usersWithoutRole } = state
  return (
    <Facts
      facts={[
        { name: texts.address, value: <Copyable text={state.address} /> },
        { name: texts.key, value: <Link href="/api-keys">{texts.keyHint}</Link> },
        { name: texts.lastRequest, value: <When at={state.lastRequestOn} /> },
        { name: texts.users, value: users },
        { name: texts.inactive, value: inactiveUsers },
        {
          name: texts.withoutRole,
          value:
            usersWithoutRole === 0 ? (
              0
            ) : (
              <>
                <Mark health="bad">{String(usersWithoutRole)}</Mark>
                <div>{texts.withoutRoleHint}</div>
              </>
            ),
        },
        { name: texts.groupCount, value: state.groupCount },
      ]}
    />
  )
}

function KnownGroups({ of: { groups, groupCount } }: { of: Provisioning }) {
  const texts = useTexts(provisioningTexts)
  const { shortRoles } = useTexts(memberTexts)
  return (
    <>
      <Grid
        label={texts.known}
        rows={groups}
        keyOf={({ id }) => id}
        empty={{ title: texts.knownNone }}
        columns={[
          { name: texts.knownName, cell: ({ displayName }) => <UserText most={80}>{displayName}</UserText> },
          { name: texts.externalId, cell: ({ externalId }) => <UserText most={80}>{externalId ?? '–'}</UserText> },
          { name: texts.members, cell: ({ members }) => members, isNumber: true },
          { name: texts.role, cell: ({ role }) => (role === null ? <Mark health="idle">{texts.noRole}</Mark> : shortRoles[role]) },
        ]}
      />
      {groups.length < groupCount && <Text size="sm">{texts.first(groups.length, groupCount)}</Text>}
    </>
  )
}
