//! Which keywords of JSON Schema 2020-12 hold schemas, so that a property that is called `title` is not taken for one.

/// What the value of a keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// One schema.
    Schema,
    /// A list of schemas.
    Schemas,
    /// An object whose members are schemas.
    SchemasByName,
    /// Data.
    Data,
}

/// What the value of `keyword` is.
pub(super) fn place_of(keyword: &str) -> Place {
    match keyword {
        "items"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => Place::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Place::Schemas,
        "properties" | "patternProperties" | "$defs" | "dependentSchemas" => Place::SchemasByName,
        _ => Place::Data,
    }
}
