//! Values of the host by type, for `#[context]` parameters. Never in a schema, never in a snapshot.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    sync::Arc,
};

/// Host values by type. A value of type `T` (maybe `dyn Trait`) is kept as `Arc<T>`.
#[derive(Default, Clone)]
pub(crate) struct HostValues(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl HostValues {
    /// Sets the value of type `T` and says whether there was one already.
    pub(crate) fn insert<T: ?Sized + Send + Sync + 'static>(&mut self, value: Arc<T>) -> bool {
        self.0.insert(TypeId::of::<T>(), Arc::new(value)).is_some()
    }

    pub(crate) fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&Arc<T>> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Takes all values of another one; where both have one, `other`'s is kept.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().map(|(id, value)| (*id, Arc::clone(value))));
    }

    /// Without those that `other` has.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mine = self.0.iter().filter(|(id, _)| !other.contains(**id));
        Self(mine.map(|(id, value)| (*id, Arc::clone(value))).collect())
    }

    pub(crate) fn contains(&self, id: TypeId) -> bool {
        self.0.contains_key(&id)
    }
}

impl fmt::Debug for HostValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostValues({})", self.0.len())
    }
}
