"""Create people, sessions, messages, areas, figures and customers."""

import sqlalchemy as sa
from alembic import op

revision = "0002_people"
down_revision = "0001_first_tables"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def _sorted_text(length: int) -> sa.String:
    return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "areas",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("opened_at", _TIME, nullable=True),
        sa.CheckConstraint("status IN ('waitlist', 'open', 'paused')", name="status_known"),
        sa.PrimaryKeyConstraint("id", name="pk_areas"),
        sa.UniqueConstraint("name", name="uq_areas_name"),
    )
    op.create_table(
        "figures",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_figures"),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("email", sa.String(254), nullable=True),
        sa.Column("first_name", _sorted_text(100), nullable=False),
        sa.Column("last_name", _sorted_text(100), nullable=False),
        sa.Column("phone", sa.String(10), nullable=False),
        sa.Column("phone_verified_at", _TIME, nullable=True),
        sa.Column("email_verified_at", _TIME, nullable=True),
        sa.Column("password_hash", sa.String(200), nullable=True),
        sa.Column("password_changed_at", _TIME, nullable=True),
        sa.Column("totp_seed", sa.String(200), nullable=True),
        sa.Column("totp_confirmed_at", _TIME, nullable=True),
        sa.Column("totp_last_step", sa.Integer(), nullable=False),
        sa.Column("sms_codes", sa.Boolean(), nullable=False),
        sa.Column("passkey_user", sa.String(36), nullable=False),
        sa.Column("terms_version", sa.String(20), nullable=True),
        sa.Column("privacy_version", sa.String(20), nullable=True),
        sa.Column("terms_accepted_at", _TIME, nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("deactivated_at", _TIME, nullable=True),
        sa.Column("delete_at", _TIME, nullable=True),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name="email_normalised"),
        sa.CheckConstraint(
            "length(phone) IN (0, 10) AND trim(phone, '0123456789') = ''",
            name="phone_digits",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
        sa.UniqueConstraint("email", name="uq_people_email"),
        sa.UniqueConstraint("passkey_user", name="uq_people_passkey_user"),
    )
    op.create_index(
        "ix_people_first_name_last_name_id",
        "people",
        ["first_name", "last_name", "id"],
        unique=False,
    )
    op.create_index("ix_people_delete_at", "people", ["delete_at"], unique=False)
    op.create_table(
        "refused_addresses",
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("reason", sa.String(300), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("address", name="pk_refused_addresses"),
    )
    op.create_table(
        "unsubscribed_addresses",
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("address", name="pk_unsubscribed_addresses"),
    )
    op.create_table(
        "sign_ups",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("first_name", sa.String(100), nullable=False),
        sa.Column("last_name", sa.String(100), nullable=False),
        sa.Column("phone", sa.String(10), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("password_hash", sa.String(200), nullable=False),
        sa.Column("plan_id", sa.String(20), nullable=True),
        sa.Column("terms_version", sa.String(20), nullable=True),
        sa.Column("privacy_version", sa.String(20), nullable=True),
        sa.Column("terms_accepted_at", _TIME, nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name="email_normalised"),
        sa.PrimaryKeyConstraint("id", name="pk_sign_ups"),
    )
    op.create_index("ix_sign_ups_created_at", "sign_ups", ["created_at"], unique=False)
    op.create_index("ix_sign_ups_email", "sign_ups", ["email"], unique=False)
    op.create_table(
        "area_zips",
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.CheckConstraint(
            "length(zip_code) = 5 AND trim(zip_code, '0123456789') = ''",
            name="zip_five_digits",
        ),
        sa.ForeignKeyConstraint(
            ["area_id"], ["areas.id"], name="fk_area_zips_area_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("zip_code", name="pk_area_zips"),
    )
    op.create_index("ix_area_zips_area_id", "area_zips", ["area_id"], unique=False)
    op.create_table(
        "challenges",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("sign_up_id", sa.String(36), nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.Column("tries_left", sa.Integer(), nullable=False),
        sa.Column("used_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "purpose IN ('verify', 'reset', 'email', 'email undo', 'invite', 'factor', 'sms', 'phone', 'passkey')",
            name="purpose_known",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_challenges_person_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sign_up_id"], ["sign_ups.id"], name="fk_challenges_sign_up_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_challenges"),
    )
    op.create_index("ix_challenges_expires_at", "challenges", ["expires_at"], unique=False)
    op.create_index("ix_challenges_person_id", "challenges", ["person_id"], unique=False)
    op.create_index("ix_challenges_sign_up_id", "challenges", ["sign_up_id"], unique=False)
    op.create_table(
        "customer_notes",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("text", sa.String(2000), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_customer_notes_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_customer_notes"),
    )
    op.create_index(
        "ix_customer_notes_person_id_id", "customer_notes", ["person_id", "id"], unique=False
    )
    op.create_table(
        "customers",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("plan_id", sa.String(20), nullable=False),
        sa.Column("plan_state", sa.String(20), nullable=False),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("city", sa.String(100), nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint("plan_id IN ('solo', 'family', 'big-family')", name="plan_known"),
        sa.CheckConstraint("plan_state IN ('incomplete')", name="plan_state_known"),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_customers_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", name="pk_customers"),
    )
    op.create_index(
        "ix_customers_created_at_person_id", "customers", ["created_at", "person_id"], unique=False
    )
    op.create_index(
        "ix_customers_plan_id_created_at_person_id",
        "customers",
        ["plan_id", "created_at", "person_id"],
        unique=False,
    )
    op.create_index("ix_customers_zip_code", "customers", ["zip_code"], unique=False)
    op.create_table(
        "messages",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("channel", sa.String(10), nullable=False),
        sa.Column("key", sa.String(200), nullable=True),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("recipient", sa.String(254), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("send_at", _TIME, nullable=False),
        sa.Column("good_until", _TIME, nullable=True),
        sa.Column("sent_at", _TIME, nullable=True),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("error", sa.String(300), nullable=True),
        sa.CheckConstraint("channel IN ('mail', 'sms')", name="channel_known"),
        sa.CheckConstraint("state IN ('queued', 'sent', 'skipped', 'failed')", name="state_known"),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_messages_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        sa.UniqueConstraint("key", name="uq_messages_key"),
    )
    op.create_index("ix_messages_person_id_id", "messages", ["person_id", "id"], unique=False)
    op.create_index("ix_messages_recipient_id", "messages", ["recipient", "id"], unique=False)
    op.create_index("ix_messages_sent_at", "messages", ["sent_at"], unique=False)
    op.create_index("ix_messages_state_id", "messages", ["state", "id"], unique=False)
    op.create_table(
        "passkeys",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("credential_id", sa.String(1400), nullable=False),
        sa.Column("public_key", sa.String(2000), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("backed_up", sa.Boolean(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("last_used_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_passkeys_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_passkeys"),
        sa.UniqueConstraint("credential_id", name="uq_passkeys_credential_id"),
    )
    op.create_index("ix_passkeys_person_id", "passkeys", ["person_id"], unique=False)
    op.create_table(
        "person_roles",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.CheckConstraint(
            "role IN ('customer', 'technician', 'dispatcher', 'admin')",
            name="role_known",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_person_roles_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "role", name="pk_person_roles"),
    )
    op.create_index("ix_person_roles_role", "person_roles", ["role"], unique=False)
    op.create_table(
        "preferences",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("fill_reminder", sa.Boolean(), nullable=False),
        sa.Column("day_before", sa.Boolean(), nullable=False),
        sa.Column("hour_before", sa.Boolean(), nullable=False),
        sa.Column("completion", sa.Boolean(), nullable=False),
        sa.Column("marketing", sa.Boolean(), nullable=False),
        sa.Column("newsletter", sa.Boolean(), nullable=False),
        sa.Column("sms", sa.Boolean(), nullable=False),
        sa.Column("email", sa.Boolean(), nullable=False),
        sa.Column("push", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_preferences_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", name="pk_preferences"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_recovery_codes_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "code_hash", name="pk_recovery_codes"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("sign_up_id", sa.String(36), nullable=True),
        sa.Column("second_factor", sa.Boolean(), nullable=False),
        sa.Column("proved_at", _TIME, nullable=True),
        sa.Column("device", sa.String(100), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("last_seen_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.CheckConstraint("person_id IS NULL OR sign_up_id IS NULL", name="one_owner"),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_sessions_person_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sign_up_id"], ["sign_ups.id"], name="fk_sessions_sign_up_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"], unique=False)
    op.create_index("ix_sessions_person_id", "sessions", ["person_id"], unique=False)
    op.create_index("ix_sessions_sign_up_id", "sessions", ["sign_up_id"], unique=False)
    op.create_table(
        "sms_consents",
        sa.Column("phone", sa.String(10), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("wording", sa.String(500), nullable=False),
        sa.Column("agreed_at", _TIME, nullable=True),
        sa.Column("stopped_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_sms_consents_person_id", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("phone", name="pk_sms_consents"),
    )
    op.create_index("ix_sms_consents_person_id", "sms_consents", ["person_id"], unique=False)


def downgrade() -> None:
    op.drop_table("sms_consents")
    op.drop_table("sessions")
    op.drop_table("recovery_codes")
    op.drop_table("preferences")
    op.drop_table("person_roles")
    op.drop_table("passkeys")
    op.drop_table("messages")
    op.drop_table("customers")
    op.drop_table("customer_notes")
    op.drop_table("challenges")
    op.drop_table("area_zips")
    op.drop_table("sign_ups")
    op.drop_table("unsubscribed_addresses")
    op.drop_table("refused_addresses")
    op.drop_table("people")
    op.drop_table("figures")
    op.drop_table("areas")
