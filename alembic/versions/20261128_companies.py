"""Add companies: their people, sites, documents, price rules, cost centers and orders."""

import sqlalchemy as sa
from alembic import op

revision = "0035_companies"
down_revision = "0030_repeats"
branch_labels = None
depends_on = None


_FORMER_ROLES = "role IN ('customer', 'technician', 'dispatcher', 'admin')"
_ROLES = "role IN ('customer', 'technician', 'dispatcher', 'admin', 'company')"


def _restrict_roles(known: str) -> None:
    with op.batch_alter_table("person_roles") as batch:
        batch.drop_constraint(op.f("ck_person_roles_role_known"), type_="check")
        batch.create_check_constraint(op.f("ck_person_roles_role_known"), known)


def upgrade() -> None:
    _restrict_roles(_ROLES)
    op.create_table(
        "companies",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column(
            "name",
            sa.String(length=120).with_variant(sa.String(length=120, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("search_name", sa.Text(), nullable=False),
        sa.Column("legal_name", sa.String(120), nullable=False),
        sa.Column("is_fleet", sa.Boolean(), nullable=False),
        sa.Column("is_employer", sa.Boolean(), nullable=False),
        sa.Column("billing_emails", sa.JSON(), nullable=False),
        sa.Column("street", sa.String(120), nullable=False),
        sa.Column("city", sa.String(100), nullable=False),
        sa.Column("state_code", sa.String(2), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("terms", sa.String(10), nullable=False),
        sa.Column("invoice_cycle", sa.String(10), nullable=False),
        sa.Column("po_required", sa.Boolean(), nullable=False),
        sa.Column("credit_limit_cents", sa.Integer()),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("state_reason", sa.String(300), nullable=False),
        sa.Column("account_owner_id", sa.String(36)),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "invoice_cycle IN ('visit', 'week', 'month')", name=op.f("ck_companies_cycle_known")
        ),
        sa.CheckConstraint(
            "state IN ('active', 'on_hold', 'closed')", name=op.f("ck_companies_state_known")
        ),
        sa.CheckConstraint(
            "terms IN ('card', 'net_7', 'net_15', 'net_30')", name=op.f("ck_companies_terms_known")
        ),
        sa.CheckConstraint("is_fleet OR is_employer", name=op.f("ck_companies_has_kind")),
        sa.ForeignKeyConstraint(
            ["account_owner_id"],
            ["people.id"],
            name=op.f("fk_companies_account_owner_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_companies")),
    )
    op.create_index(op.f("ix_companies_name_id"), "companies", ["name", "id"])
    op.create_table(
        "company_documents",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("media_type", sa.String(40), nullable=False),
        sa.Column("file", sa.LargeBinary(), nullable=False),
        sa.Column("uploaded_by", sa.String(100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('permit', 'certificate', 'picture')",
            name=op.f("ck_company_documents_kind_known"),
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_company_documents_company_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_company_documents")),
    )
    op.create_index(op.f("ix_company_documents_company_id"), "company_documents", ["company_id"])
    op.create_table(
        "company_invitations",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("sites", sa.JSON(none_as_null=True)),
        sa.Column("invited_by", sa.String(100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True)),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint(
            "role IN ('owner', 'manager', 'accountant', 'viewer')",
            name=op.f("ck_company_invitations_role_known"),
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_company_invitations_company_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_company_invitations")),
    )
    op.create_index(
        op.f("ix_company_invitations_company_id_email"),
        "company_invitations",
        ["company_id", "email"],
    )
    op.create_index(op.f("ix_company_invitations_email"), "company_invitations", ["email"])
    op.create_table(
        "company_people",
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("sites", sa.JSON(none_as_null=True)),
        sa.Column("chosen_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "role IN ('owner', 'manager', 'accountant', 'viewer')",
            name=op.f("ck_company_people_role_known"),
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_company_people_company_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_company_people_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("company_id", "person_id", name=op.f("pk_company_people")),
    )
    op.create_index(op.f("ix_company_people_person_id"), "company_people", ["person_id"])
    op.create_table(
        "cost_centers",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("monthly_budget_cents", sa.Integer()),
        sa.Column("closed_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_cost_centers_company_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cost_centers")),
        sa.UniqueConstraint("company_id", "name", name=op.f("uq_cost_centers_company_id_name")),
    )
    op.create_table(
        "price_rules",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("basis", sa.String(10), nullable=False),
        sa.Column("offset_mills", sa.Integer(), nullable=False),
        sa.Column("floor_mills", sa.Integer()),
        sa.Column("cap_mills", sa.Integer()),
        sa.Column("fixed_mills", sa.Integer()),
        sa.Column("source", sa.String(100), nullable=False),
        sa.Column("effective_from", sa.Date(), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(basis = 'fixed') = (fixed_mills IS NOT NULL)",
            name=op.f("ck_price_rules_fixed_has_price"),
        ),
        sa.CheckConstraint(
            "basis IN ('area', 'eia', 'rack', 'fixed')", name=op.f("ck_price_rules_basis_known")
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_price_rules_company_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price_rules")),
        sa.UniqueConstraint(
            "company_id", "version", name=op.f("uq_price_rules_company_id_version")
        ),
    )
    op.create_table(
        "purchase_orders",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("number", sa.String(40), nullable=False),
        sa.Column("amount_cents", sa.Integer()),
        sa.Column("valid_to", sa.Date()),
        sa.Column("closed_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_purchase_orders_company_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_purchase_orders")),
        sa.UniqueConstraint(
            "company_id", "number", name=op.f("uq_purchase_orders_company_id_number")
        ),
    )
    op.create_table(
        "company_sites",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("street", sa.String(120), nullable=False),
        sa.Column("city", sa.String(100), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("lng", sa.Float(), nullable=False),
        sa.Column("is_approximate", sa.Boolean(), nullable=False),
        sa.Column("gate_code", sa.String(30), nullable=False),
        sa.Column("contact_name", sa.String(100), nullable=False),
        sa.Column("contact_phone", sa.String(10), nullable=False),
        sa.Column("hours", sa.String(120), nullable=False),
        sa.Column("parking", sa.String(500), nullable=False),
        sa.Column("permit_authority", sa.String(80), nullable=False),
        sa.Column("permit_number", sa.String(80), nullable=False),
        sa.Column("permit_valid_to", sa.Date()),
        sa.Column("permit_document_id", sa.String(36)),
        sa.Column("picture_id", sa.String(36)),
        sa.Column("closed_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "lat BETWEEN -90 AND 90 AND lng BETWEEN -180 AND 180",
            name=op.f("ck_company_sites_on_earth"),
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_company_sites_company_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["permit_document_id"],
            ["company_documents.id"],
            name=op.f("fk_company_sites_permit_document_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["picture_id"],
            ["company_documents.id"],
            name=op.f("fk_company_sites_picture_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_company_sites")),
        sa.UniqueConstraint("company_id", "name", name=op.f("uq_company_sites_company_id_name")),
    )
    op.create_index(op.f("ix_company_sites_zip_code"), "company_sites", ["zip_code"])
    op.create_table(
        "tax_exemptions",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("company_id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("certificate", sa.String(60), nullable=False),
        sa.Column("valid_to", sa.Date(), nullable=False),
        sa.Column("document_id", sa.String(36), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("asked_by", sa.String(100), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.String(100), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True)),
        sa.Column("reason", sa.String(300), nullable=False),
        sa.CheckConstraint(
            "kind IN ('government', 'nonprofit', 'agriculture', 'resale', 'other')",
            name=op.f("ck_tax_exemptions_kind_known"),
        ),
        sa.CheckConstraint(
            "state IN ('asked', 'approved', 'declined', 'ended')",
            name=op.f("ck_tax_exemptions_state_known"),
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_tax_exemptions_company_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["company_documents.id"],
            name=op.f("fk_tax_exemptions_document_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tax_exemptions")),
    )
    op.create_index(op.f("ix_tax_exemptions_company_id_id"), "tax_exemptions", ["company_id", "id"])


def downgrade() -> None:
    op.execute("DELETE FROM person_roles WHERE role = 'company'")
    _restrict_roles(_FORMER_ROLES)
    op.drop_table("tax_exemptions")
    op.drop_table("company_sites")
    op.drop_table("purchase_orders")
    op.drop_table("price_rules")
    op.drop_table("cost_centers")
    op.drop_table("company_people")
    op.drop_table("company_invitations")
    op.drop_table("company_documents")
    op.drop_table("companies")
